import type { RequestError } from '@commerce-graph/client'
import { type ReactNode, useState } from 'react'
import { useText } from '../language/language.tsx'
import { FormDialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/fields.tsx'

interface Props {
  readonly image: { readonly url: string; readonly alt: string | null }
  readonly error: RequestError | null
  readonly pending: boolean
  readonly onClose: () => void
  readonly onDescribed: (alt: string) => void
}

/** The text of a picture for those who can't see it. */
export function AltDialog({ image, error, pending, onClose, onDescribed }: Props): ReactNode {
  const t = useText()
  const [alt, setAlt] = useState(image.alt ?? '')
  return (
    <FormDialog
      title={t('describeImage')}
      narrow
      fields={['alt']}
      error={error}
      submit={t('save')}
      pending={pending}
      onSubmit={() => onDescribed(alt)}
      onClose={onClose}
    >
      <img className="big-picture" src={image.url} alt="" />
      <TextField
        name="alt"
        label={t('altText')}
        hint={t('altHint')}
        value={alt}
        onChange={setAlt}
        maxLength={500}
        autoFocus
      />
    </FormDialog>
  )
}
