import { describe, expect, it } from 'vitest'
import { cleanHtml, cut, picturesIn, plainText } from './html.ts'

const image = 'files/00000000-0000-4000-8000-000000000000.png'

describe('what the editor writes', () => {
  it.each([
    '<p>a <strong>b</strong> <em>c</em> <u>d</u> <s>e</s><br />f</p>',
    '<h2>标题</h2><h3>小</h3><ul><li><p>一</p></li></ul><ol><li>二</li></ol><blockquote><p>引</p></blockquote>',
    `<p><img src="${image}" alt="图" /></p>`,
    '<p><a href="https://example.com/a?b=1&amp;c=2" rel="noopener noreferrer" target="_blank">x</a></p>',
    '<p><a href="/device/device-list" rel="noopener noreferrer" target="_blank">x</a> <a href="mailto:a@b.cn" rel="noopener noreferrer" target="_blank">y</a></p>',
    '<p>1 &lt; 2 &amp; 3</p>',
  ])('%s stays', (html) => expect(cleanHtml(html)).toBe(html))
  it('and what it does not write becomes that', () => {
    expect(
      cleanHtml('<h1>a</h1><b>b</b><i>c</i><del>d</del><table><tr><td>e</td></tr></table>'),
    ).toBe('<h2>a</h2><strong>b</strong><em>c</em><s>d</s>e')
    expect(cleanHtml('<p class="x" style="color:red" id="y" data-z="1" dir="rtl">a</p>')).toBe(
      '<p>a</p>',
    )
    expect(
      cleanHtml('<a href="https://x.cn" onclick="x()" target="_self" rel="opener">a</a>'),
    ).toBe('<a href="https://x.cn" rel="noopener noreferrer" target="_blank">a</a>')
  })
  it('cleaning twice changes nothing', () => {
    for (const bad of corpus) expect(cleanHtml(cleanHtml(bad))).toBe(cleanHtml(bad))
  })
})

const corpus = [
  '<script>alert(1)</script>',
  '<SCRIPT SRC=//evil.cn/x.js></SCRIPT>',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<img src=x onerror=alert(1)>',
  `<img src="${image}" onerror="alert(1)" onload=alert(1)>`,
  '<img src="javascript:alert(1)">',
  '<img src="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">',
  '<img src="https://evil.cn/track.png">',
  '<img src="files/../api/auth/user.png">',
  '<img srcset="https://evil.cn/a.png 1x">',
  '<svg onload=alert(1)><script>alert(1)</script></svg>',
  '<svg><animate onbegin=alert(1) attributeName=x dur=1s>',
  '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
  '<object data="javascript:alert(1)"></object><embed src="javascript:alert(1)">',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="JaVaScRiPt:alert(1)">x</a>',
  '<a href=" javascript:alert(1)">x</a>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="java&#x0A;script:alert(1)">x</a>',
  '<a href="&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)">x</a>',
  '<a href="vbscript:msgbox(1)">x</a>',
  '<a href="data:text/html,<script>alert(1)</script>">x</a>',
  '<a href="//evil.cn">x</a>',
  '<a href="/\\evil.cn">x</a>',
  '<a href="\\\\evil.cn">x</a>',
  '<a href="https:\\\\evil.cn">x</a>',
  '<p onmouseover=alert(1)>x</p>',
  '<p style="background:url(javascript:alert(1))">x</p>',
  '<style>@import "//evil.cn/x.css"; p{background:url(//evil.cn)}</style>',
  '<link rel=stylesheet href=//evil.cn/x.css><meta http-equiv=refresh content="0;url=//evil.cn"><base href=//evil.cn/>',
  '<form action=//evil.cn><input name=password><button formaction=javascript:alert(1)>x</button></form>',
  '<video><source onerror=alert(1)></video><audio src=x onerror=alert(1)>',
  '<details open ontoggle=alert(1)>x</details>',
  '<body onload=alert(1)><marquee onstart=alert(1)>x</marquee>',
  '<!--<img src="--><img src=x onerror=alert(1)//">',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<xmp><img src=x onerror=alert(1)></xmp><template><script>alert(1)</script></template>',
  '<p title="<script>alert(1)</script>">x</p>',
  '"><script>alert(1)</script>',
  '<a href="https://x.cn" style="position:fixed;inset:0" class="hd-overlay">x</a>',
  '<<script>alert(1);//<</script>',
  '<p>\u0000<script\u0000>alert(1)</script></p>',
  '<img src="x` `<script>alert(1)</script>"` `>',
  '<textarea><script>alert(1)</script></textarea><title><img src=x onerror=alert(1)></title>',
]

describe('what an attacker writes', () => {
  it('is a corpus', () => expect(corpus.length).toBeGreaterThanOrEqual(40))
  const tag = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)((?:\s+[a-zA-Z]+(?:="[^"]*")?)*)\s*\/?>/g
  const allowed = new Set([
    'p',
    'br',
    'strong',
    'em',
    'u',
    's',
    'h2',
    'h3',
    'ul',
    'ol',
    'li',
    'blockquote',
    'a',
    'img',
  ])
  it.each(corpus)('%s', (bad) => {
    const html = cleanHtml(bad)
    for (const [, , name, attributes] of html.matchAll(tag)) {
      expect(allowed).toContain(name)
      for (const [, key, value] of (attributes ?? '').matchAll(/\s([a-zA-Z]+)(?:="([^"]*)")?/g)) {
        expect({ a: ['href', 'rel', 'target'], img: ['src', 'alt'] }[name as 'a'] ?? []).toContain(
          key,
        )
        if (key === 'href') expect(value).toMatch(/^(https?:\/\/[^\\]|mailto:|\/(?![/\\]))/)
        if (key === 'src') expect(value).toMatch(/^files\/[a-z0-9-]+\.(jpg|png)$/)
      }
    }
    // every other angle bracket is text
    expect(html.replace(tag, '')).not.toMatch(/[<>]/)
    expect(html).not.toMatch(/\son\w+=|javascript:|vbscript:|srcdoc|style=/i)
  })
})

describe('plain text', () => {
  it.each([
    ['<p></p>', ''],
    ['<p>&nbsp;\u200b</p><p><br /></p>', ''],
    [
      '<h2>升级</h2><p>今晚<strong>22:00</strong></p><ul><li>一</li><li>二</li></ul>',
      '升级 今晚22:00 一 二',
    ],
    ['<p>1 &lt; 2 &amp;amp; &quot;x&quot;</p>', '1 < 2 &amp; "x"'],
  ])('%s', (html, text) => expect(plainText(html)).toBe(text))
  it('is cut between letters', () => {
    expect([cut('汉字', 2), cut('汉字三', 2), [...cut('😀'.repeat(300), 200)].length]).toEqual([
      '汉字',
      '汉…',
      200,
    ])
  })
  it('pictures are found', () =>
    expect(picturesIn(cleanHtml(`<p><img src="${image}"></p><img src="https://x/y.png">`))).toEqual(
      [image],
    ))
})
