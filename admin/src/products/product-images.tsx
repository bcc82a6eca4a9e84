import { type ReactNode, useState } from 'react'
import {
  Button as AriaButton,
  DropIndicator,
  FileTrigger,
  GridList,
  GridListItem,
  isFileDropItem,
  Text,
  useDragAndDrop,
} from 'react-aria-components'
import { RequestFailed } from '@commerce-graph/client'
import { ask, useChange } from '../api/api.ts'
import { reasonOf } from '../api/field-errors.ts'
import { imageTypes } from '../files/upload-image.ts'
import { ProductDetailDocument, UpdateProductDocument } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Fault } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { Progress } from '../ui/progress.tsx'
import { Card, Thumb } from '../ui/states.tsx'
import { tell } from '../ui/toasts.tsx'
import { AltDialog } from './alt-dialog.tsx'
import { imageInputs, type ListedImage, movedBack, movedTo, putBack } from './image-list.ts'
import type { Product } from './product-page.tsx'
import { useUploads } from './use-uploads.ts'

type Image = Product['images'][number]

const keyOf = ({ id }: Image): string => id

/** The pictures in their order, which is changed by dragging them; files are dropped beside them. */
export function ProductImages({ product }: { readonly product: Product }): ReactNode {
  const t = useText()
  const mayWrite = useMay('products:write')
  const mayUpload = useMay('files:write') && mayWrite
  const { images } = product
  const { run, error, pending } = useChange(UpdateProductDocument, ['products'])
  const [describing, setDescribing] = useState<Image | null>(null)
  const store = async (next: readonly ListedImage[]) =>
    (await run({ id: product.id, input: { images: imageInputs(next) } })) !== null
  const { uploads, add, dismiss } = useUploads((url) =>
    store([...images, { url, alt: null, width: null, height: null }]),
  )
  const undo = async (back: (now: readonly Image[]) => readonly Image[]) => {
    try {
      const now = (await ask(ProductDetailDocument, { id: product.id })).product
      if (now !== null) await store(back(now.images))
    } catch (failure) {
      if (!(failure instanceof RequestFailed)) throw failure
      tell(reasonOf(failure.error))
    }
  }
  const remove = async (image: Image) => {
    if (await store(images.filter((each) => each !== image)))
      tell(t('imageRemoved'), () => void undo((now) => putBack(now, images, image)))
  }
  const describe = async (alt: string) => {
    // Not by its id, which is another one as soon as the list has changed.
    if (await store(images.map((each) => (each.url === describing?.url ? { ...each, alt } : each))))
      setDescribing(null)
  }
  const { dragAndDropHooks } = useDragAndDrop<Image>({
    isDisabled: !mayWrite || pending,
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    renderDropIndicator: (target) => <DropIndicator target={target} className="drop-place" />,
    onReorder: ({ keys, target }) => {
      const moved = new Set([...keys].map(String))
      const next = movedTo(images, keyOf, moved, {
        key: String(target.key),
        after: target.dropPosition === 'after',
      })
      const before = images.filter((image) => moved.has(image.id))
      void store(next).then(
        (done) =>
          done && tell(t('imagesReordered'), () => void undo((now) => movedBack(now, images, before))),
      )
    },
    ...(mayUpload && {
      acceptedDragTypes: ['text/plain', ...imageTypes],
      onRootDrop: ({ items }) => void drop(items),
      onInsert: ({ items }) => void drop(items),
    }),
  })
  const drop = async (items: readonly Parameters<typeof isFileDropItem>[0][]) =>
    add(await Promise.all(items.filter(isFileDropItem).map((item) => item.getFile())))
  return (
    <Card title={t('images')}>
      {error && <Fault text={reasonOf(error)} />}
      <GridList
        className="picture-list"
        aria-label={t('images')}
        items={images}
        dragAndDropHooks={dragAndDropHooks}
        dependencies={[images, pending, mayWrite]}
        renderEmptyState={() => (
          <p className="muted picture-hint">{t(mayUpload ? 'dropImages' : 'noImages')}</p>
        )}
      >
        {(image) => (
          <GridListItem
            id={image.id}
            className="picture"
            textValue={image.alt ?? t('imageNumber', { number: images.indexOf(image) + 1 })}
          >
            {mayWrite && (
              <AriaButton slot="drag" className="drag">
                <Icon name="gripVertical" size={16} />
              </AriaButton>
            )}
            <Thumb url={image.url} />
            <Text className={image.alt === null ? 'small muted wrap' : 'small wrap'}>
              {image.alt ?? t('noAlt')}
            </Text>
            {mayWrite && (
              <span className="picture-tools">
                <IconButton icon="pencil" label={t('describeImage')} onPress={() => setDescribing(image)} />
                <IconButton icon="trash" label={t('removeImage')} onPress={() => void remove(image)} />
              </span>
            )}
          </GridListItem>
        )}
      </GridList>
      {uploads.map(({ id, name, progress, fault }) =>
        fault === null ? (
          <Progress
            key={id}
            label={progress.step === 'sending' ? name : t('preparingImage', { name })}
            share={progress.step === 'sending' ? progress.share : null}
          />
        ) : (
          <div key={id} className="between">
            <Fault text={`${name}: ${fault}`} />
            <IconButton icon="x" label={t('close')} onPress={() => dismiss(id)} />
          </div>
        ),
      )}
      {mayUpload && (
        <FileTrigger
          acceptedFileTypes={imageTypes}
          allowsMultiple
          onSelect={(files) => files && add([...files])}
        >
          <Button icon="upload">{t('uploadImages')}</Button>
        </FileTrigger>
      )}
      {describing && (
        <AltDialog
          image={describing}
          error={error}
          pending={pending}
          onClose={() => setDescribing(null)}
          onDescribed={(alt) => void describe(alt)}
        />
      )}
    </Card>
  )
}
