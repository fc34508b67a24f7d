import sanitizeHtml from 'sanitize-html'

/**
 * Rich text people wrote: what is not on this list goes, its text stays. The editor offers nothing
 * else.
 */
const options: sanitizeHtml.IOptions = {
  allowedTags: 'p br strong b em i u s h2 h3 ul ol li blockquote a img'.split(' '),
  allowedAttributes: { a: ['href', 'rel', 'target'], img: ['src', 'alt'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesAppliedToAttributes: ['href', 'src'],
  allowProtocolRelative: false,
  allowedStyles: {},
  disallowedTagsMode: 'discard',
  nonTextTags: 'script style textarea option noscript iframe xmp noembed template title'.split(' '),
  nestingLimit: 20,
  transformTags: {
    b: 'strong',
    i: 'em',
    h1: 'h2',
    del: 's',
    a: (_, { href = '' }) =>
      ({
        tagName: 'a',
        attribs: isLink(href) ? { href, rel: 'noopener noreferrer', target: '_blank' } : {},
      }) as sanitizeHtml.Tag,
  },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !isPicture(attribs.src),
}
/** An address of the web, of mail, or a page of the app. */
const isLink = (href: string): boolean =>
  /^(https?:\/\/[^\s\\]+|mailto:[^\s\\]+|\/(?![/\\])[^\s\\]*)$/i.test(href.trim())
const isPicture = (src: string | undefined): boolean => src !== undefined && pictureName.test(src)
const pictureName = /^files\/[a-z0-9-]+\.(jpg|png)$/

export const cleanHtml = (html: string): string => sanitizeHtml(html, options).trim()

/** The words of cleaned markup, blocks apart. */
export function plainText(html: string): string {
  const spaced = html.replace(/<\/(p|h2|h3|li|blockquote)>|<br\s*\/?>/g, '$& ')
  const text = sanitizeHtml(spaced, { allowedTags: [], allowedAttributes: {} })
  return decode(text)
    .replace(/[\s\u00a0\u200b-\u200f\u2028-\u202f\ufeff]+/g, ' ')
    .trim()
}
const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
}
const decode = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (found) => entities[found] ?? found)

/** At most `max` characters, never half of a pair. */
export const cut = (text: string, max: number): string => {
  const letters = [...text]
  return letters.length <= max ? text : `${letters.slice(0, max - 1).join('')}…`
}

/** Pictures inside cleaned markup. */
export const picturesIn = (html: string): string[] =>
  [...html.matchAll(/<img[^>]*\ssrc="([^"]+)"/g)].map((found) => found[1] as string)
