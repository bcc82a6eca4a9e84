import { describe, expect, test } from 'vitest'
import { afterSaving, changesOf, type Draft, draftFrom, renewed } from '../admin/src/ui/draft.ts'

interface Person {
  readonly name: string
  readonly phone: string
  readonly tags: string
}

const stored: Person = { name: 'Ada', phone: '1', tags: '' }
const typing = (draft: Draft<Person>, part: Partial<Person>): Draft<Person> => ({
  ...draft,
  typed: { ...draft.typed, ...part },
})
const typed = (part: Partial<Person>) => typing(draftFrom(stored), part)
const saved = (draft: Draft<Person>) => afterSaving(draft, changesOf(draft))

describe('what is typed into a form of /admin', () => {
  test('is kept when somebody else was quicker, who is not taken for oneself', () => {
    expect(renewed(typed({ name: 'Ada L.' }), { ...stored, phone: '2' })).toBeNull()
    expect(renewed(typed({ name: 'Ada L.' }), { ...stored, name: 'Ada B.' })).toBeNull()
  })

  test('follows the server as long as nothing is typed, or the same', () => {
    const other = { ...stored, phone: '2' }
    expect(renewed(draftFrom(stored), other)).toEqual(draftFrom(other))
    expect(renewed(typed({ phone: '2' }), other)).toEqual(draftFrom(other))
  })

  test('is one’s own version after it was saved, in whatever way the server writes it', () => {
    const own = { ...stored, tags: 'a, b' }
    expect(renewed(saved(typed({ tags: 'a,b' })), own)).toEqual(draftFrom(own))
  })

  test('is not sent again after it was saved, although the server’s version isn’t there yet', () => {
    const further = typing(saved(typed({ phone: '2' })), { name: 'Ada L.' })
    expect(changesOf(further)).toEqual({ name: 'Ada L.' })
  })

  test('stays when it was typed while the form was saved', () => {
    const further = typing(saved(typed({ tags: 'a,b' })), { name: 'Ada L.', tags: 'a,b,c' })
    const own = { ...stored, tags: 'a, b' }
    const next = renewed(further, own)
    expect(next?.typed).toEqual({ ...stored, name: 'Ada L.', tags: 'a,b,c' })
    expect(next?.stored).toEqual(own)
  })

  test('is asked about when somebody else has changed the same while one’s own was saved', () => {
    const further = typing(saved(typed({ tags: 'a,b' })), { name: 'Ada L.' })
    expect(renewed(further, { ...stored, tags: 'a, b', name: 'Ada B.' })).toBeNull()
  })

  test('is asked about again after one’s own version has come, even if it came before the answer', () => {
    const own = { ...stored, phone: '2' }
    const sent = typed({ phone: '2' })
    const after = renewed(saved(sent), own) ?? draftFrom(stored)
    const before = afterSaving(renewed(sent, own) ?? draftFrom(stored), changesOf(sent))
    for (const draft of [after, before])
      expect(renewed(typing(draft, { name: 'Ada L.' }), { ...own, phone: '3' })).toBeNull()
  })

  test('is asked about although what was saved before made no other version', () => {
    const same = saved(typed({ tags: ',' }))
    expect(renewed(typing(same, { name: 'Ada L.' }), { ...stored, phone: '2' })).toBeNull()
  })
})
