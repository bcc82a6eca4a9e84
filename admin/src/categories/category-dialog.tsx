import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { CreateCategoryDocument, UpdateCategoryDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import type { Category } from './use-categories.ts'

interface Props {
  /** Null: a new one. */
  readonly category: Category | null
  /** What a new one is below. */
  readonly parent: Category | null
  readonly onClose: () => void
}

const fields = ['name', 'slug', 'description', 'seoTitle', 'seoDescription']

export function CategoryDialog({ category, parent, onClose }: Props): ReactNode {
  const t = useText()
  const [name, setName] = useState(category?.name ?? '')
  const [slug, setSlug] = useState(category?.slug ?? '')
  const [description, setDescription] = useState(category?.description ?? '')
  const [seoTitle, setSeoTitle] = useState(category?.seoTitle ?? '')
  const [seoDescription, setSeoDescription] = useState(category?.seoDescription ?? '')
  const create = useChange(CreateCategoryDocument, ['categories', 'products'])
  const update = useChange(UpdateCategoryDocument, ['categories', 'products'])
  const orNull = (text: string) => (text === '' ? null : text)
  const submit = async () => {
    const texts = {
      description: orNull(description),
      seoTitle: orNull(seoTitle),
      seoDescription: orNull(seoDescription),
    }
    const done =
      category === null
        ? await create.run({
            input: {
              name,
              ...(slug !== '' && { slug }),
              ...texts,
              ...(parent !== null && { parentId: parent.id }),
            },
          })
        : await update.run({ id: category.id, input: { name, slug, ...texts } })
    if (done === null) return
    tell(t('saved'))
    onClose()
  }
  return (
    <FormDialog
      title={category === null ? t('newCategory') : t('editCategory', { name: category.name })}
      fields={fields}
      error={create.error ?? update.error}
      submit={t('save')}
      pending={create.pending || update.pending}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {parent !== null && <p className="muted">{t('belowCategory', { name: parent.name })}</p>}
      <TextField name="name" label={t('name')} value={name} onChange={setName} isRequired autoFocus />
      <TextField
        name="slug"
        label={t('slug')}
        hint={category === null ? t('slugOfName') : undefined}
        value={slug}
        onChange={setSlug}
        isRequired={category !== null}
      />
      <TextField
        name="description"
        label={t('description')}
        multiline
        value={description}
        onChange={setDescription}
      />
      <div className="columns">
        <TextField name="seoTitle" label={t('seoTitle')} value={seoTitle} onChange={setSeoTitle} />
        <TextField
          name="seoDescription"
          label={t('seoDescription')}
          value={seoDescription}
          onChange={setSeoDescription}
        />
      </div>
    </FormDialog>
  )
}
