import { type ReactNode, useState } from 'react'
import { useChange } from '../api/api.ts'
import { CreateCategoryDocument, UpdateCategoryDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { Select, TextField } from '../ui/fields.tsx'
import { tell } from '../ui/toasts.tsx'
import { useSendChanged } from '../ui/use-send-changed.ts'
import { flatten, isWithin, treeOf } from './category-tree.ts'
import type { Category } from './use-categories.ts'

interface Props {
  /** Null: a new one. */
  readonly category: Category | null
  /** What a new one is below. */
  readonly parent: Category | null
  readonly categories: readonly Category[]
  readonly onClose: () => void
}

const orNull = (text: string): string | null => (text === '' ? null : text)

const fields = ['name', 'slug', 'parentId', 'description', 'seoTitle', 'seoDescription']

export function CategoryDialog({ category, parent, categories, onClose }: Props): ReactNode {
  const t = useText()
  const [name, setName] = useState(category?.name ?? '')
  const [slug, setSlug] = useState(category?.slug ?? '')
  const [description, setDescription] = useState(category?.description ?? '')
  const [seoTitle, setSeoTitle] = useState(category?.seoTitle ?? '')
  const [seoDescription, setSeoDescription] = useState(category?.seoDescription ?? '')
  const [parentId, setParent] = useState((category === null ? parent?.id : category.parent?.id) ?? '')
  const create = useChange(CreateCategoryDocument, ['categories', 'products'])
  const update = useChange(UpdateCategoryDocument, ['categories', 'products'])
  const texts = {
    name,
    description: orNull(description),
    seoTitle: orNull(seoTitle),
    seoDescription: orNull(seoDescription),
  }
  const sendChanged = useSendChanged({ ...texts, slug, parentId: orNull(parentId) })
  const submit = async () => {
    const done =
      category === null
        ? await create.run({
            input: { ...texts, ...(slug !== '' && { slug }), ...(parentId !== '' && { parentId }) },
          })
        : await sendChanged((changed) => update.run({ id: category.id, input: changed }))
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
      <TextField name="name" label={t('name')} value={name} onChange={setName} isRequired autoFocus />
      <Select
        name="parentId"
        label={t('below')}
        value={parentId}
        onChange={setParent}
        choices={[
          { id: '', text: t('atTheTop') },
          ...flatten(treeOf(categories))
            .filter(({ item }) => category === null || !isWithin(categories, category.id, item.id))
            .map(({ item, depth }) => ({ id: item.id, text: `${'– '.repeat(depth)}${item.name}` })),
        ]}
      />
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
