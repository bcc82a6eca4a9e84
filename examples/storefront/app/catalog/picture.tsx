import type { ReactNode } from 'react'
import { useRouteLoaderData } from 'react-router'
import type { CardFragment } from '../generated/operations.ts'
import type { RootData } from '../root.tsx'

interface PictureProps {
  readonly image: CardFragment['images'][number] | undefined
  readonly name: string
  /** Whether it is in view at once; others wait until they nearly are. */
  readonly eager?: boolean
}

/** A product's picture. Pictures of origins that the page's policy doesn't allow are drawn instead of asked for. */
export function Picture({ image, name, eager = false }: PictureProps): ReactNode {
  const allowed = useRouteLoaderData<RootData>('root')?.shop.imageOrigins ?? []
  if (image === undefined || !URL.canParse(image.url) || !allowed.includes(new URL(image.url).origin))
    return <Drawing name={name} />
  return (
    <img
      className="picture"
      src={image.url}
      srcSet={image.sizes.map(({ url, width }) => `${url} ${width}w`).join(', ') || undefined}
      sizes="(max-width: 40rem) 50vw, 20rem"
      alt={image.alt ?? ''}
      width={400}
      height={400}
      loading={eager ? 'eager' : 'lazy'}
    />
  )
}

/** Hills in colours that a name always gets the same. */
function Drawing({ name }: { readonly name: string }): ReactNode {
  const seed = Array.from(name).reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 9_973, 7)
  const hue = seed % 360
  const peak = 60 + (seed % 80)
  return (
    <svg className="picture" viewBox="0 0 200 200" aria-hidden="true">
      <rect width="200" height="200" fill={`hsl(${hue} 45% 88%)`} />
      <circle cx={40 + (seed % 120)} cy="55" r="18" fill={`hsl(${(hue + 40) % 360} 80% 75%)`} />
      <path d={`M0 160 L${peak} 80 L${peak + 50} 140 L200 95 V200 H0Z`} fill={`hsl(${hue} 30% 62%)`} />
      <path d={`M0 180 L${200 - peak} 120 L200 170 V200 H0Z`} fill={`hsl(${hue} 32% 40%)`} />
    </svg>
  )
}
