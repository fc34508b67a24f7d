/**
 * A plain PDF of lines, the same bytes for the same lines. Chinese by a font that every reader
 * brings (STSong-Light with its predefined map): nothing is embedded.
 */
export type Line = { readonly text: string; readonly size?: number }

const page = { width: 595, height: 842, margin: 48, size: 10 }
const lineHeight = 1.6

/** Latin letters are half as wide as Chinese ones. */
const widthOf = (letter: string) => (letter < '\u0100' ? 0.5 : 1)

function wrapped({ text, size = page.size }: Line): Line[] {
  const most = (page.width - 2 * page.margin) / size
  const lines: string[] = ['']
  let used = 0
  for (const letter of text) {
    const width = widthOf(letter)
    if (used + width > most) {
      lines.push('')
      used = 0
    }
    lines[lines.length - 1] += letter
    used += width
  }
  return lines.map((one) => ({ text: one, size }))
}

/** UCS-2; what lies beyond it is not in the font either. */
const hex = (text: string) =>
  [...text]
    .map((letter) => (letter.length > 1 ? '?' : letter))
    .map((letter) => letter.charCodeAt(0).toString(16).padStart(4, '0'))
    .join('')

export function pdfOf(lines: readonly Line[]): Buffer {
  const pages: string[] = []
  let content = ''
  let y = page.height - page.margin
  for (const { text, size = page.size } of lines.flatMap(wrapped)) {
    y -= size * lineHeight
    if (y < page.margin) {
      pages.push(content)
      content = ''
      y = page.height - page.margin - size * lineHeight
    }
    if (text)
      content += `BT /F1 ${size} Tf 1 0 0 1 ${page.margin} ${y.toFixed(2)} Tm <${hex(text)}> Tj ET\n`
  }
  pages.push(content)
  const first = 6
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, i) => `${first + 2 * i} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UCS2-H /DescendantFonts [4 0 R] >>',
    '<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> /FontDescriptor 5 0 R /DW 1000 /W [1 95 500] >>',
    '<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 880] /ItalicAngle 0 /Ascent 752 /Descent -271 /CapHeight 737 /StemV 58 >>',
    ...pages.flatMap((body, i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${page.width} ${page.height}] /Resources << /Font << /F1 3 0 R >> >> /Contents ${first + 2 * i + 1} 0 R >>`,
      `<< /Length ${body.length} >>\nstream\n${body}endstream`,
    ]),
  ]
  let out = '%PDF-1.4\n'
  const places = objects.map((object, i) => {
    const at = out.length
    out += `${i + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  out += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${out.length}\n%%EOF\n`
  return Buffer.from(out, 'latin1')
}
