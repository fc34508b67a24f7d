import type { CSSProperties, ReactElement } from 'react'

export type SilhouetteKind =
  | 'bottle'
  | 'can'
  | 'cup'
  | 'bag'
  | 'box'
  | 'pill'
  | 'flower'
  | 'umbrella'
export type Tint = 'green' | 'blue' | 'amber' | 'rose' | 'violet' | 'grey'

interface Tones {
  readonly light: string
  readonly deep: string
  readonly ground: string
}

const TONES: Readonly<Record<Tint, Tones>> = {
  green: { light: '#A6CDB8', deep: '#559877', ground: '#DDEEE4' },
  blue: { light: '#A3C6D1', deep: '#5591A5', ground: '#DBEAF0' },
  amber: { light: '#DDB98F', deep: '#BD8343', ground: '#F5E6D3' },
  rose: { light: '#D9ABB4', deep: '#B96C7B', ground: '#F3DDE1' },
  violet: { light: '#BDB0DC', deep: '#7F6DB5', ground: '#E5DFF3' },
  grey: { light: '#C3CBD3', deep: '#8996A3', ground: '#E9EDF0' },
}

const STEM = { fill: 'none', strokeLinecap: 'round', strokeLinejoin: 'round' } as const

// Drawn in a 48 by 48 field; the second tone marks cap, label or handle.
function shape(kind: SilhouetteKind, { light, deep }: Tones): ReactElement {
  switch (kind) {
    case 'bottle':
      return (
        <>
          <rect x="19.5" y="4" width="9" height="6" rx="1.5" fill={deep} />
          <path
            fill={light}
            d="M20.5 11h7v4.5c0 2.2 5 5.2 5 9.5v16a3 3 0 0 1-3 3h-11a3 3 0 0 1-3-3V25c0-4.3 5-7.3 5-9.5z"
          />
          <rect x="15.5" y="25.5" width="17" height="9.5" fill={deep} />
        </>
      )
    case 'can':
      return (
        <>
          <rect x="17" y="5" width="14" height="3.5" rx="1.5" fill={deep} />
          <path
            fill={light}
            d="M17 9h14c1.7 1 2.5 2.4 2.5 4.2V38c0 3-1.6 5-4.5 5H19c-2.9 0-4.5-2-4.5-5V13.2C14.5 11.4 15.3 10 17 9z"
          />
          <rect x="14.5" y="16" width="19" height="17" fill={deep} />
        </>
      )
    case 'cup':
      return (
        <>
          <rect x="11" y="7" width="26" height="6" rx="1.8" fill={deep} />
          <path
            fill={light}
            d="M13.5 13.5h21l-2.3 27a3.5 3.5 0 0 1-3.5 3h-9.4a3.5 3.5 0 0 1-3.5-3z"
          />
        </>
      )
    case 'bag':
      return (
        <>
          <path
            fill={light}
            d="M14 6h20c1.2 0 2 1 1.8 2.2C34.3 17 34.3 31 35.8 39.8 36 41 35.2 42 34 42H14c-1.2 0-2-1-1.8-2.2C13.7 31 13.7 17 12.2 8.2 12 7 12.8 6 14 6z"
          />
          <circle cx="24" cy="24" r="7.5" fill={deep} />
        </>
      )
    case 'box':
      return (
        <>
          <rect x="8" y="11" width="32" height="28" rx="2.5" fill={light} />
          <rect x="8" y="19.5" width="32" height="9" fill={deep} />
        </>
      )
    case 'pill':
      return (
        <>
          <path fill={light} d="M24 15.5v17h-9.5a8.5 8.5 0 0 1 0-17z" />
          <path fill={deep} d="M24 15.5v17h9.5a8.5 8.5 0 0 0 0-17z" />
        </>
      )
    case 'flower':
      return (
        <>
          <path
            {...STEM}
            stroke={light}
            strokeWidth="3"
            d="M24 24v20M24 38c-6 0-8-3-9-7M24 35c5 0 7-2 8-6"
          />
          <g fill={light}>
            <circle cx="24" cy="9" r="5.5" />
            <circle cx="30.7" cy="13.8" r="5.5" />
            <circle cx="28.1" cy="21.7" r="5.5" />
            <circle cx="19.9" cy="21.7" r="5.5" />
            <circle cx="17.3" cy="13.8" r="5.5" />
          </g>
          <circle cx="24" cy="16" r="5" fill={deep} />
        </>
      )
    case 'umbrella':
      return (
        <>
          <path {...STEM} stroke={deep} strokeWidth="3" d="M24 5v3M24 25v14a4 4 0 0 0 8 0" />
          <path
            fill={light}
            d="M24 7c10 0 17.5 7 18 18-3-2.7-6.5-2.7-9 0-2.5-2.7-6.5-2.7-9 0-2.5-2.7-6.5-2.7-9 0-2.5-2.7-6-2.7-9 0C6.5 14 14 7 24 7z"
          />
          <path
            fill={deep}
            d="M24 7c5 3 8.5 9 9 18-2.5-2.7-6.5-2.7-9 0-2.5-2.7-6.5-2.7-9 0 .5-9 4-15 9-18z"
          />
        </>
      )
  }
}

interface SilhouetteProps {
  readonly kind: SilhouetteKind
  readonly tint: Tint
  readonly size?: number
  /** Without a ground the shape stands on the card itself, as in the lane grid. */
  readonly ground?: boolean
  readonly title?: string
  readonly style?: CSSProperties
}

/** Stands in for a product without a picture. */
export function Silhouette({
  kind,
  tint,
  size = 42,
  ground = false,
  title,
  style,
}: SilhouetteProps): ReactElement {
  const tones = TONES[tint]
  const silent = title === undefined
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 48 48"
      style={style}
      role={silent ? 'presentation' : 'img'}
      aria-hidden={silent}
      aria-label={title}
    >
      {ground ? (
        <>
          <rect width="48" height="48" rx="6" fill={tones.ground} />
          <g transform="translate(6 6) scale(0.75)">{shape(kind, tones)}</g>
        </>
      ) : (
        shape(kind, tones)
      )}
    </svg>
  )
}

interface LogoProps {
  readonly size?: number
  /** On the brand colour itself the tile is a pale veil instead. */
  readonly onBrand?: boolean
}

/** Two lanes and a falling piece. */
export function Logo({ size = 28, onBrand = false }: LogoProps): ReactElement {
  return (
    <svg width={size} height={size} viewBox="0 0 28 28" aria-hidden="true">
      <rect width="28" height="28" rx="6" fill={onBrand ? 'rgba(255,255,255,.16)' : '#0B7285'} />
      <g fill="#FFFFFF">
        <rect x="5.5" y="7" width="17" height="2.4" rx="1.2" />
        <rect x="5.5" y="12.6" width="6.2" height="2.4" rx="1.2" />
        <rect x="16.3" y="12.6" width="6.2" height="2.4" rx="1.2" />
        <rect x="11.8" y="17" width="4.4" height="4.4" rx="1" />
      </g>
    </svg>
  )
}

// Two rows of a shelf; the lower one says why nothing stands on it.
function emptyDetail(kind: EmptyKind): ReactElement {
  switch (kind) {
    case 'empty':
      return <path strokeDasharray="3 3" d="M31 29h10v9H31z" />
    case 'filtered':
      return (
        <>
          <path d="M16 29h8v9h-8z" strokeDasharray="3 3" />
          <path d="M40 26h15l-5.5 6.5v6l-4 2v-8z" />
        </>
      )
    case 'error':
      return (
        <>
          <path d="M36 26l8 14H28z" />
          <path d="M36 31.5v4M36 37.6v.1" />
        </>
      )
  }
}

export type EmptyKind = 'empty' | 'filtered' | 'error'

/** Line drawing over an empty list; takes its colour from the text around it. */
export function EmptyArt({ kind }: { readonly kind: EmptyKind }): ReactElement {
  return (
    <svg
      width="72"
      height="52"
      viewBox="0 0 72 52"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <rect x="7" y="3" width="58" height="46" rx="4" />
      <path d="M12 21.5h48M12 41.5h48" />
      <path d="M17 12h6v6.5h-6zM33 10.5h6v8h-6zM49 12h6v6.5h-6z" opacity=".55" />
      {emptyDetail(kind)}
    </svg>
  )
}
