import { describe, expect, test } from 'vitest'
import { sessionSettings, settingsOfSession } from './session-settings.ts'
import { adminSession, createSession } from './types.ts'

const settings = sessionSettings.parse({
  variables: { 'app.tenant': 'X-Hasura-Tenant-Id' },
  roles: { admin: { 'app.any_tenant': 'on' } },
})

describe('the settings of a session', () => {
  test('have the values of its variables, and those of its role', () => {
    expect(settingsOfSession(createSession('user', { 'x-hasura-tenant-id': 'a' }), settings)).toEqual([
      ['app.tenant', 'a'],
    ])
    expect(settingsOfSession(adminSession, settings)).toEqual([['app.any_tenant', 'on']])
  })

  test('lack those of variables that the session lacks', () => {
    expect(settingsOfSession(createSession('user', {}), settings)).toEqual([])
  })

  test('may be a role, but for no variable of a session', () => {
    const ofAdmin = { admin: { role: 'sees_all_tenants' } }
    expect(sessionSettings.parse({ roles: ofAdmin }).roles).toEqual(ofAdmin)
    expect(sessionSettings.safeParse({ roles: { admin: { search_path: 'x' } } }).success).toBe(false)
  })

  test.each(['role', 'session_authorization', 'search_path', 'app.tenant; drop table x'])(
    'can’t be %s',
    (name) => {
      expect(sessionSettings.safeParse({ variables: { [name]: 'x-hasura-user-id' } }).success).toBe(false)
    },
  )
})
