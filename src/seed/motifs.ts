// Marks printed on the labels of product pictures, drawn around the origin within about 100 by 100.

export type Motif =
  | 'drop'
  | 'bubbles'
  | 'leaf'
  | 'jasmine'
  | 'lemon'
  | 'wave'
  | 'peach'
  | 'bolt'
  | 'orange'
  | 'grape'
  | 'coconut'
  | 'sun'
  | 'bean'
  | 'steam'
  | 'swirl'
  | 'pearls'
  | 'twinleaf'
  | 'chip'
  | 'tomato'
  | 'nut'
  | 'chocolate'
  | 'biscuit'
  | 'seaweed'
  | 'redbean'
  | 'toast'
  | 'yolk'
  | 'tissue'
  | 'sheet'
  | 'mask'
  | 'rose'
  | 'sunflower'
  | 'carnation'
  | 'capsule'
  | 'tablet'
  | 'granules'
  | 'herb'
  | 'tube'
  | 'lotion'
  | 'eye'
  | 'stomach'
  | 'menthol'

export interface MotifTones {
  readonly main: string
  readonly second: string
}

function ring(
  count: number,
  radius: number,
  piece: (x: number, y: number, degrees: number) => string,
): string {
  return Array.from({ length: count }, (_, i) => {
    const angle = (i / count) * Math.PI * 2 - Math.PI / 2
    const x = Math.round(Math.cos(angle) * radius * 10) / 10
    const y = Math.round(Math.sin(angle) * radius * 10) / 10
    return piece(x, y, Math.round((angle * 180) / Math.PI))
  }).join('')
}

const circle = (x: number, y: number, r: number, fill: string): string =>
  `<circle cx="${x}" cy="${y}" r="${r}" fill="${fill}"/>`

const line = (d: string, stroke: string, width = 7): string =>
  `<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`

const fill = (d: string, colour: string): string => `<path d="${d}" fill="${colour}"/>`

const turned = (degrees: number, inner: string): string =>
  `<g transform="rotate(${degrees})">${inner}</g>`

const LEAF = 'M-38 26C-40-16-6-38 38-36 42 6 14 40-38 26z'
const DROP = 'M0-44C16-20 30-4 30 14a30 30 0 0 1-60 0C-30-4-16-20 0-44z'
const BEAN = 'M0-36c20 0 28 18 28 36S20 36 0 36s-28-18-28-36 8-36 28-36z'

function slice({ main, second }: MotifTones, spokes: number): string {
  const cut = ring(spokes, 33, (x, y) => line(`M0 0L${x} ${y}`, second, 4))
  return circle(0, 0, 43, main) + circle(0, 0, 35, second) + circle(0, 0, 31, main) + cut
}

function pill({ main, second }: MotifTones): string {
  return turned(
    -35,
    fill('M0-19h24a19 19 0 0 1 0 38H0z', main) + fill('M0-19h-24a19 19 0 0 0 0 38H0z', second),
  )
}

const DRAW: Readonly<Record<Motif, (tones: MotifTones) => string>> = {
  drop: ({ main, second }) => fill(DROP, main) + line('M-14 14a15 15 0 0 0 12 16', second, 6),
  bubbles: ({ main, second }) =>
    circle(-12, 14, 26, main) +
    circle(24, -6, 15, main) +
    circle(0, -32, 10, main) +
    circle(-20, 6, 6, second),
  leaf: ({ main, second }) => fill(LEAF, main) + line('M-44 36C-24 6 0-10 20-20', second, 5),
  jasmine: ({ main, second }) =>
    ring(
      5,
      24,
      (x, y, a) =>
        `<ellipse cx="${x}" cy="${y}" rx="21" ry="14" transform="rotate(${a} ${x} ${y})" fill="${main}"/>`,
    ) + circle(0, 0, 10, second),
  lemon: ({ main, second }) =>
    fill('M-46 0C-30-34 30-34 46 0 30 34-30 34-46 0z', main) +
    line('M-22-4C-12-14 4-17 16-12', second, 6),
  wave: ({ main }) =>
    line('M-50-16C-26-40-6 4 18-18 32-30 42-26 50-20', main, 13) +
    line('M-50 18C-26-6-6 38 18 16 32 4 42 8 50 14', main, 13),
  peach: ({ main, second }) =>
    fill('M0-20C30-44 58 2 24 32 12 42 4 42 0 44-4 42-12 42-24 32-58 2-30-44 0-20z', main) +
    line('M0-18C-8 0-6 18 0 30', second, 5) +
    fill('M2-22C4-42 22-46 32-44 30-28 18-22 2-22z', second),
  bolt: ({ main }) => fill('M12-48l-42 54h24l-8 42 44-58H6z', main),
  orange: (tones) => slice(tones, 8),
  grape: ({ main, second }) =>
    [
      [-24, -14],
      [0, -14],
      [24, -14],
      [-12, 8],
      [12, 8],
      [0, 30],
    ]
      .map(([x = 0, y = 0]) => circle(x, y, 13, main))
      .join('') + line('M0-28C2-38 10-44 20-44', second, 6),
  coconut: ({ main, second }) =>
    `${fill('M-44-6h88a44 44 0 0 1-88 0z', second)}<ellipse cy="-6" rx="44" ry="15" fill="${main}"/>${line('M12-14L28-44h12', second, 6)}`,
  sun: ({ main }) =>
    circle(0, 0, 20, main) +
    ring(8, 36, (x, y, a) =>
      turned(0, `<g transform="translate(${x} ${y}) rotate(${a})">${line('M-5 0H7', main, 8)}</g>`),
    ),
  bean: ({ main, second }) =>
    turned(32, fill(BEAN, main) + line('M0-33C-14-12 14 12 0 33', second, 6)),
  steam: ({ main }) =>
    line('M-24 38C-40 14-8 4-24-22M0 38C-16 14 16 4 0-32M24 38C8 14 40 4 24-22', main, 8),
  swirl: ({ main }) =>
    line('M4 2c-8-8-20 4-12 14 10 12 34 2 30-18C16-30-34-26-36 8-36 34-8 46 18 38', main, 9),
  pearls: ({ main }) =>
    [
      [-30, 22],
      [0, 28],
      [30, 22],
      [-15, 0],
      [15, 0],
      [0, -24],
    ]
      .map(([x = 0, y = 0]) => circle(x, y, 11, main))
      .join(''),
  twinleaf: ({ main, second }) =>
    fill('M0 34C-46 24-48-12-40-32-14-26 4-2 0 34z', main) +
    fill('M0 34C46 24 48-12 40-32 14-26-4-2 0 34z', second),
  chip: ({ main, second }) =>
    turned(
      -18,
      `<ellipse rx="46" ry="31" fill="${main}"/>${line('M-26-12C-10-2 8 0 28-8M-28 6C-8 16 10 17 26 10', second, 5)}`,
    ),
  tomato: ({ main, second }) =>
    `<ellipse cy="6" rx="42" ry="36" fill="${main}"/>${fill('M0-24l-26-10 18 16-10 14 18-10 18 10-10-14 18-16z', second)}`,
  nut: ({ main, second }) =>
    fill('M-32-8C-32 20-10 40 0 44 10 40 32 20 32-8z', main) +
    fill('M-38-10C-36-32-14-38 0-38s36 6 38 28z', second) +
    line('M0-40v-8', second, 6),
  chocolate: ({ main, second }) =>
    turned(
      -12,
      `<rect x="-44" y="-30" width="88" height="60" rx="6" fill="${main}"/>${line('M-15-28v56M15-28v56M-42 0h84', second, 5)}`,
    ),
  biscuit: ({ main, second }) =>
    circle(0, 0, 42, main) +
    ring(6, 24, (x, y) => circle(x, y, 4.5, second)) +
    circle(0, 0, 4.5, second),
  seaweed: ({ main, second }) =>
    turned(
      8,
      `<rect x="-34" y="-42" width="68" height="84" rx="4" fill="${main}"/>${line('M-20-26v50M-4-30v58M12-24v46M24-28v54', second, 4)}`,
    ),
  redbean: ({ main, second }) =>
    [
      [-24, 12, 30],
      [24, 12, -30],
      [0, -22, 0],
    ]
      .map(
        ([x = 0, y = 0, a = 0]) =>
          `<g transform="translate(${x} ${y}) rotate(${a})"><ellipse rx="22" ry="16" fill="${main}"/>${line('M-8-2H8', second, 4)}</g>`,
      )
      .join(''),
  toast: ({ main, second }) =>
    fill('M-34 40V-4C-54-10-48-40-22-40H22C48-40 54-10 34-4V40z', main) +
    line('M-20 24V2M0 24V-6M20 24V2', second, 5),
  yolk: ({ main, second }) =>
    fill('M-42 30C-46-14-26-34 0-34s46 20 42 64z', main) + circle(0, 4, 19, second),
  tissue: ({ main, second }) =>
    fill('M-30 6C-34-26-20-22-12-40-2-26 4-34 12-42 18-26 34-24 28 6z', main) +
    line('M-46 8H46', second, 8),
  sheet: ({ main, second }) =>
    `${fill('M-38-34H38V22L22 38H-38z', main) + fill('M38 22L22 38V22z', second)}<g transform="translate(0 2) scale(.5)">${fill(DROP, second)}</g>`,
  mask: ({ main, second }) =>
    line('M-34-14C-58-14-58 22-30 22M34-14C58-14 58 22 30 22', second, 6) +
    fill('M-36-22C-16-28 16-28 36-22V16C20 36-20 36-36 16z', main) +
    line('M-20-2H20M-18 12H18', second, 4),
  rose: ({ main, second }) =>
    circle(0, 0, 40, main) +
    line('M2 2c-6-6-14 4-6 10 10 6 24-4 18-18C6-24-28-16-26 10c2 18 26 26 42 12', second, 6),
  sunflower: ({ main, second }) =>
    ring(
      12,
      31,
      (x, y, a) =>
        `<ellipse cx="${x}" cy="${y}" rx="15" ry="8" transform="rotate(${a} ${x} ${y})" fill="${main}"/>`,
    ) + circle(0, 0, 22, second),
  carnation: ({ main, second }) =>
    ring(9, 28, (x, y) => circle(x, y, 13, main)) +
    circle(0, 0, 24, second) +
    ring(6, 13, (x, y) => circle(x, y, 9, main)) +
    circle(0, 0, 7, second),
  capsule: pill,
  tablet: ({ main, second }) =>
    circle(-14, 10, 30, main) + line('M-32 10H4', second, 5) + circle(26, -22, 18, second),
  granules: ({ main, second }) =>
    fill('M-30-40H30V34H-30z', main) +
    fill('M-30-40H30v14H-30z', second) +
    ring(5, 14, (x, y) => circle(x, y + 6, 4.5, second)),
  herb: ({ main, second }) =>
    line('M0 44V-30', second, 6) +
    [
      [-1, -8],
      [1, -18],
      [-1, 16],
      [1, 6],
    ]
      .map(
        ([side = 1, y = 0]) =>
          `<g transform="translate(0 ${y}) scale(${side * 0.55} .55)"><g transform="translate(42 -16)">${fill(LEAF, main)}</g></g>`,
      )
      .join('') +
    circle(0, -36, 8, main),
  tube: ({ main, second }) =>
    turned(
      -30,
      fill('M-44-20L26-14V14L-44 20z', main) +
        fill('M26-10h18v20H26z', second) +
        line('M-26 0H8', second, 5),
    ),
  lotion: ({ main, second }) =>
    `<rect x="-24" y="-20" width="48" height="64" rx="8" fill="${main}"/><rect x="-12" y="-42" width="24" height="18" rx="3" fill="${second}"/>${line('M-12 8H12M-12 24H12', second, 5)}`,
  eye: ({ main, second }) =>
    fill('M-48 0C-28-34 28-34 48 0 28 34-28 34-48 0z', main) +
    circle(0, 0, 18, second) +
    circle(6, -6, 6, main),
  stomach: ({ main, second }) =>
    fill(
      'M-8-46h16C8-30 40-34 42 0 44 34-2 48-22 32-34 22-46 30-46 42h-8C-54 14-30 8-18 8-8 8-8-16-8-46z',
      main,
    ) + line('M16-10C26-6 26 12 12 18', second, 6),
  menthol: ({ main, second }) =>
    ring(6, 40, (x, y) => line(`M0 0L${x} ${y}`, main, 7)) +
    ring(6, 26, (x, y) => circle(x, y, 7, second)) +
    circle(0, 0, 10, main),
}

/** SVG group of a motif at a place and scale. */
export function drawMotif(
  motif: Motif,
  tones: MotifTones,
  x: number,
  y: number,
  scale: number,
): string {
  return `<g transform="translate(${x} ${y}) scale(${scale})">${DRAW[motif](tones)}</g>`
}
