import sharp from 'sharp'
import { drawMotif, type Motif } from './motifs.ts'

export type PictureKind = 'bottle' | 'can' | 'cup' | 'bag' | 'box' | 'pill' | 'flower' | 'umbrella'
export type PictureTint = 'green' | 'blue' | 'amber' | 'rose' | 'violet' | 'grey'
export type DrugMark = 'OTC_B' | 'OTC_A'

export interface PictureLabel {
  readonly motif?: Motif
  /** Green for class B, red for class A; prescription drugs carry none. */
  readonly mark?: DrugMark
}

interface Tones {
  readonly ground: string
  readonly pale: string
  readonly light: string
  readonly deep: string
  readonly ink: string
}

const TONES: Readonly<Record<PictureTint, Tones>> = {
  green: { ground: '#DDEEE4', pale: '#F2F9F5', light: '#A6CDB8', deep: '#559877', ink: '#2F6B4D' },
  blue: { ground: '#DBEAF0', pale: '#F2F8FA', light: '#A3C6D1', deep: '#5591A5', ink: '#2E6577' },
  amber: { ground: '#F5E6D3', pale: '#FDF7EF', light: '#DDB98F', deep: '#BD8343', ink: '#85561F' },
  rose: { ground: '#F3DDE1', pale: '#FCF3F5', light: '#D9ABB4', deep: '#B96C7B', ink: '#85404F' },
  violet: { ground: '#E5DFF3', pale: '#F7F5FC', light: '#BDB0DC', deep: '#7F6DB5', ink: '#54448A' },
  grey: { ground: '#E9EDF0', pale: '#F8FAFB', light: '#C3CBD3', deep: '#8996A3', ink: '#56626E' },
}

const SHINE = 'fill="#FFFFFF" fill-opacity=".38"'
const SHADE = 'fill="#000000" fill-opacity=".07"'

type Draw = (tones: Tones, label: PictureLabel) => string

function motif(
  label: PictureLabel,
  main: string,
  second: string,
  x: number,
  y: number,
  scale: number,
): string {
  return label.motif === undefined ? '' : drawMotif(label.motif, { main, second }, x, y, scale)
}

// Juices and milk teas come in the stout bottle, the rest in the slender one.
const STOUT: ReadonlySet<Motif> = new Set(['orange', 'grape', 'coconut', 'pearls'])

function slenderBottle(t: Tones, label: PictureLabel): string {
  return `<rect x="172" y="44" width="56" height="36" rx="7" fill="${t.ink}"/>
<path d="M182 52v20M194 52v20M206 52v20M218 52v20" stroke="#FFFFFF" stroke-opacity=".25" stroke-width="3"/>
<rect x="176" y="84" width="48" height="8" rx="4" fill="${t.deep}"/>
<path fill="${t.light}" d="M180 94h40v22c0 20 40 42 40 82v134a24 24 0 0 1-24 24h-72a24 24 0 0 1-24-24V198c0-40 40-62 40-82z"/>
<path ${SHADE} d="M208 94h12v22c0 20 40 42 40 82v134a24 24 0 0 1-24 24h-8z"/>
<rect x="140" y="200" width="120" height="106" fill="${t.deep}"/>
<rect x="140" y="200" width="120" height="7" fill="${t.ink}"/><rect x="140" y="299" width="120" height="7" fill="${t.ink}"/>
${motif(label, t.pale, t.light, 200, 253, 0.78)}
<path d="M152 322h96M156 338h88" stroke="${t.deep}" stroke-opacity=".45" stroke-width="4" stroke-linecap="round"/>
<path ${SHINE} d="M152 190c2-22 16-38 26-52l6 6c-10 16-20 30-20 48z"/>`
}

function stoutBottle(t: Tones, label: PictureLabel): string {
  return `<rect x="160" y="62" width="80" height="40" rx="8" fill="${t.ink}"/>
<path d="M172 70v24M186 70v24M200 70v24M214 70v24M228 70v24" stroke="#FFFFFF" stroke-opacity=".25" stroke-width="3"/>
<path fill="${t.light}" d="M166 106h68c0 24 40 26 40 58v164a28 28 0 0 1-28 28h-92a28 28 0 0 1-28-28V164c0-32 40-34 40-58z"/>
<path ${SHADE} d="M222 106h12c0 24 40 26 40 58v164a28 28 0 0 1-28 28h-10z"/>
<rect x="126" y="188" width="148" height="118" fill="${t.pale}"/>
<rect x="126" y="188" width="148" height="14" fill="${t.deep}"/>
${motif(label, t.deep, t.light, 200, 254, 0.92)}
<path ${SHINE} d="M138 176c0-20 16-28 28-40l8 8c-14 12-22 20-22 34z"/>`
}

const bottle: Draw = (t, label) =>
  label.motif !== undefined && STOUT.has(label.motif)
    ? stoutBottle(t, label)
    : slenderBottle(t, label)

const can: Draw = (
  t,
  label,
) => `<rect x="152" y="64" width="96" height="14" rx="6" fill="${t.ink}"/>
<rect x="186" y="56" width="28" height="9" rx="4" fill="${t.deep}"/>
<path fill="${t.light}" d="M150 80h100l18 26v206l-18 30a22 22 0 0 1-18 10h-64a22 22 0 0 1-18-10l-18-30V106z"/>
<path fill="${t.deep}" d="M132 118h136v180H132z"/>
<path fill="${t.ink}" d="M132 256c46-30 92 22 136-8v50H132z"/>
<path ${SHADE} d="M236 80h14l18 26v206l-18 30a22 22 0 0 1-18 10h-6z"/>
${motif(label, t.pale, t.light, 200, 188, 1)}
<rect x="144" y="124" width="10" height="160" rx="5" ${SHINE}/>
<path d="M156 352h88" stroke="${t.deep}" stroke-width="6" stroke-linecap="round"/>`

const cup: Draw = (
  t,
  label,
) => `<path d="M214 96l22-62 22-6" fill="none" stroke="${t.deep}" stroke-width="11" stroke-linecap="round" stroke-linejoin="round"/>
<path fill="${t.ink}" d="M124 92h152l8 30H116z"/><rect x="106" y="120" width="188" height="20" rx="9" fill="${t.deep}"/>
<path fill="${t.light}" d="M120 142h160l-20 192a24 24 0 0 1-24 22h-72a24 24 0 0 1-24-22z"/>
<path fill="${t.pale}" d="M126 190h148l-9 92H135z"/>
<path ${SHADE} d="M250 142h30l-20 192a24 24 0 0 1-24 22h-12z"/>
${motif(label, t.deep, t.light, 200, 236, 0.86)}
<path ${SHINE} d="M134 152h12l14 186a12 12 0 0 1-10-8z"/>`

const bag: Draw = (
  t,
  label,
) => `<path fill="${t.light}" d="M106 62h188c8 0 12 6 11 13-12 84-12 166 0 250 1 7-3 13-11 13H106c-8 0-12-6-11-13 12-84 12-166 0-250-1-7 3-13 11-13z"/>
<path fill="${t.deep}" d="M95 75c-1-7 3-13 11-13h188c8 0 12 6 11 13l-3 21H98zM98 304h204l3 21c1 7-3 13-11 13H106c-8 0-12-6-11-13z"/>
<path d="M112 68v22M134 68v22M156 68v22M178 68v22M200 68v22M222 68v22M244 68v22M266 68v22M288 68v22M112 310v22M134 310v22M156 310v22M178 310v22M200 310v22M222 310v22M244 310v22M266 310v22M288 310v22" stroke="#FFFFFF" stroke-opacity=".22" stroke-width="3"/>
<path ${SHADE} d="M264 96h38c-8 70-8 138 0 208h-24c-16-70-20-140-14-208z"/>
<circle cx="200" cy="190" r="74" fill="${t.pale}"/>
${motif(label, t.deep, t.light, 200, 190, 1.14)}
<path d="M160 284h80" stroke="${t.pale}" stroke-width="9" stroke-linecap="round"/>
<path ${SHINE} d="M112 104h12c6 60 6 130 0 192h-12c6-64 6-130 0-192z"/>`

const box: Draw = (t, label) => `<path fill="${t.ink}" d="M304 112l28-32v216l-28 36z"/>
<rect x="68" y="112" width="236" height="220" rx="6" fill="${t.light}"/>
<path fill="${t.deep}" d="M74 112l32-32h226l-28 32z"/>
<rect x="68" y="150" width="236" height="132" fill="${t.pale}"/>
${motif(label, t.deep, t.light, 186, 216, 1.14)}
<path d="M92 308h92M208 308h40" stroke="${t.deep}" stroke-width="9" stroke-linecap="round"/>
<path d="M92 131h64" stroke="${t.pale}" stroke-width="8" stroke-linecap="round"/>
<rect x="78" y="120" width="8" height="204" rx="4" ${SHINE}/>`

const MARK_COLOURS: Readonly<Record<DrugMark, string>> = { OTC_B: '#1E9E5A', OTC_A: '#CC3A3A' }

// The letters are strokes, so the picture does not depend on the fonts of the machine.
function otcMark(mark: DrugMark): string {
  return `<g transform="translate(262 138)"><ellipse rx="42" ry="23" fill="${MARK_COLOURS[mark]}"/>
<g fill="none" stroke="#FFFFFF" stroke-width="5" stroke-linecap="round" stroke-linejoin="round">
<ellipse cx="-20" rx="8" ry="9"/><path d="M-7-9h16M1-9V9M27-6a8 9 0 1 0 0 12"/></g></g>`
}

const IN_BLISTER: ReadonlySet<Motif> = new Set(['capsule', 'tablet', 'stomach'])

function hasBlister(label: PictureLabel): boolean {
  return label.motif !== undefined && IN_BLISTER.has(label.motif)
}

function blister(t: Tones): string {
  const pockets = [136, 168, 200, 232, 264].map(
    (x) => `<ellipse cx="${x}" cy="341" rx="11" ry="9" fill="${t.deep}"/>`,
  )
  return `<rect x="112" y="324" width="176" height="34" rx="8" fill="#FFFFFF" fill-opacity=".72"/>${pockets.join('')}`
}

const pill: Draw = (t, label) => `<path fill="${t.light}" d="M70 104l26-26h246l-26 26z"/>
<path fill="${t.deep}" d="M316 104l26-26v196l-26 32z"/>
<rect x="70" y="104" width="246" height="202" rx="5" fill="#FFFFFF"/>
<path fill="${t.deep}" d="M70 214c60-34 150 22 246-20v107a5 5 0 0 1-5 5H75a5 5 0 0 1-5-5z"/>
<path fill="${t.light}" d="M70 204c60-34 150 22 246-20v12c-96 42-186-14-246 20z"/>
<path d="M92 134h84" stroke="${t.ink}" stroke-width="13" stroke-linecap="round"/><path d="M92 160h56" stroke="${t.light}" stroke-width="8" stroke-linecap="round"/>
${label.mark === undefined ? '' : otcMark(label.mark)}
<circle cx="193" cy="234" r="58" fill="${t.pale}"/><circle cx="193" cy="234" r="58" fill="none" stroke="#FFFFFF" stroke-width="5"/>
${motif(label, t.deep, t.light, 193, 234, 0.84)}
<path d="M92 286h34" stroke="${t.pale}" stroke-width="8" stroke-linecap="round"/>
${hasBlister(label) ? blister(t) : ''}`

function bloom(t: Tones, label: PictureLabel, x: number, y: number, scale: number): string {
  return `<circle cx="${x}" cy="${y}" r="${46 * scale}" fill="${t.ground}"/>${motif(label, t.deep, t.ink, x, y, scale)}`
}

const flower: Draw = (
  t,
  label,
) => `<path d="M200 180L132 104M200 190V86M200 180l68-76" stroke="#6C9C80" stroke-width="9" stroke-linecap="round"/>
<path fill="#8DB89F" d="M98 176c-18-26-14-52-4-66 22 12 36 34 36 62zM302 176c18-26 14-52 4-66-22 12-36 34-36 62z"/>
<path fill="${t.pale}" d="M84 168c38-22 70-20 116-2 46-18 78-20 116 2l-88 148h-56z"/>
${bloom(t, label, 134, 132, 1.02)}${bloom(t, label, 266, 132, 1.02)}${bloom(t, label, 200, 92, 1.08)}${bloom(t, label, 200, 176, 1.06)}
<path fill="${t.light}" d="M84 168c30 26 72 40 116 108 44-68 86-82 116-108l-86 150h-60z"/>
<path ${SHADE} d="M316 168l-86 150h-30v-42c44-68 86-82 116-108z"/>
<path fill="${t.light}" d="M170 330h60l24 34c-34-12-74-12-108 0z"/>
<rect x="164" y="310" width="72" height="24" rx="10" fill="${t.ink}"/>
<path fill="${t.deep}" d="M200 322c-18-22-40-18-44-6s20 22 44 6zm0 0c18-22 40-18 44-6s-20 22-44 6z"/>`

const umbrella: Draw = (
  t,
) => `<path d="M200 60v-16M200 190v122a30 30 0 0 0 60 0v-8" fill="none" stroke="${t.ink}" stroke-width="13" stroke-linecap="round"/>
<path fill="${t.light}" d="M200 58c84 0 146 58 152 144-26-20-56-20-76 0-20-20-54-20-76 0-22-20-56-20-76 0-20-20-50-20-76 0C54 116 116 58 200 58z"/>
<path fill="${t.deep}" d="M200 58c42 24 72 74 76 144-20-20-54-20-76 0-22-20-56-20-76 0 4-70 34-120 76-144z"/>
<path d="M200 58v144" stroke="${t.ink}" stroke-opacity=".4" stroke-width="4"/>
<path ${SHINE} d="M78 150c14-34 36-54 62-66l-10 22c-16 14-26 28-34 52z"/>`

const DRAW: Readonly<Record<PictureKind, Draw>> = {
  bottle,
  can,
  cup,
  bag,
  box,
  pill,
  flower,
  umbrella,
}

// Where the drawing ends below, so that its shadow touches it and both stand in the middle.
function floorOf(kind: PictureKind, label: PictureLabel): number {
  if (kind === 'box') return 336
  return kind === 'pill' && !hasBlister(label) ? 312 : 361
}

/** A product picture, 400 by 400, without any text. */
export function productSvg(kind: PictureKind, tint: PictureTint, label: PictureLabel = {}): string {
  const tones = TONES[tint]
  const floor = floorOf(kind, label)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400" viewBox="0 0 400 400">
<rect width="400" height="400" fill="${tones.ground}"/><circle cx="200" cy="196" r="170" fill="#FFFFFF" fill-opacity=".34"/>
<g transform="translate(0 ${Math.round((361 - floor) / 2)})"><ellipse cx="200" cy="${floor}" rx="104" ry="11" fill="${tones.ink}" fill-opacity=".16"/>
${DRAW[kind](tones, label)}</g>
</svg>`
}

/** Palette PNG: flat pictures stay near 10 kB. */
export function renderPng(svg: string): Promise<Buffer> {
  return sharp(Buffer.from(svg))
    .png({ palette: true, colours: 128, compressionLevel: 9 })
    .toBuffer()
}
