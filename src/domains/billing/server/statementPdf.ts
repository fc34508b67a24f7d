import { fileURLToPath } from 'node:url'
import PDFDocument from 'pdfkit'
import { serveThread } from '../../../server/threadMain.ts'
import { shanghaiClock } from '../../../shared/instants.ts'
import { yuan } from '../../../shared/money.ts'
import { bi, type Lang, say } from '../../../shared/text.ts'
import { locale } from '../locale.ts'
import type { Content } from '../statementContract.ts'

/** Draws statements in threads: fonts are large, and only the letters that are used are kept. */
export type Ask = {
  period: string
  versionNo: number | null
  issuedAt: string
  lang: Lang
  content: Content
}

/** What the package says of itself is for browsers; its fonts lie beside that. */
const font = (weight: 'Regular' | 'Bold') =>
  fileURLToPath(
    new URL(`../fonts/NotoSansHans-${weight}.otf`, import.meta.resolve('@embedpdf/fonts-sc')),
  )
const page = { margin: 48, width: 595.28 - 96, bottom: 841.89 - 60 }
const ink = { text: '#1A2530', quiet: '#556270', line: '#D5DBE1', brand: '#0B7285' }

const texts = {
  title: bi('对账单', 'Statement'),
  period: bi('账期', 'Period'),
  version: bi('版本', 'Version'),
  issued: bi('出具时间', 'Issued'),
  code: bi('机构编码', 'Code'),
  sales: bi('本机构设备收入', 'Income of own machines'),
  price: bi('金额', 'Price'),
  refundment: bi('退款', 'Refunds'),
  fee: bi('手续费', 'Fees'),
  gathering: bi('实收', 'Received'),
  orders: bi('订单数', 'Orders'),
  opening: bi('期初余额', 'Opening balance'),
  closing: bi('期末余额', 'Closing balance'),
  type: bi('业务', 'Booking'),
  count: bi('笔数', 'Count'),
  debit: bi('借方', 'Debit'),
  credit: bi('贷方', 'Credit'),
  strategies: bi('使用的分账策略版本', 'Versions of strategies that were used'),
  name: bi('策略', 'Strategy'),
  mode: bi('分账方式', 'Way'),
  ratio: bi('本方比例', 'Own share'),
  collects: bi('收款方', 'collector'),
  withdrawals: bi('提现', 'Withdrawals'),
  number: bi('单号', 'Number'),
  asked: bi('申请时间', 'Asked'),
  paid: bi('到账时间', 'Paid'),
  amount: bi('金额', 'Amount'),
  state: bi('状态', 'State'),
  debts: bi('本期新增欠款', 'Debts made in this time'),
  order: bi('订单号', 'Order'),
  made: bi('发生时间', 'Made'),
  rest: bi('剩余（出具时）', 'Left when issued'),
  none: bi('本期无', 'None'),
  note: bi(
    '金额单位为元，日期按北京时间；各余额与分录取自复式账簿，由系统生成，无需签章。',
    'Amounts in yuan, days of Beijing. Balances and entries are those of the double-entry ledger; made by the system, valid without a seal.',
  ),
  pageOf: bi('第 {n} 页 / 共 {all} 页', 'Page {n} of {all}'),
} satisfies Record<string, string>

const ways = {
  CHANNEL: bi('通道分账', 'By the channel'),
  SUB_MERCHANT: bi('子商户收款+服务费分账', 'Sub-merchant'),
  LEDGER: bi('账本分账+提现', 'By the ledger'),
} satisfies Record<Content['strategies'][number]['mode'], string>
const states: Readonly<Record<string, string>> = {
  PENDING: bi('待审核', 'Pending'),
  APPROVED: bi('已通过', 'Approved'),
  PAYING: bi('打款中', 'Being paid'),
  CONFIRMING: bi('待用户确认', 'To be confirmed'),
  PAID: bi('已到账', 'Paid'),
  FAILED: bi('打款失败', 'Failed'),
  REJECTED: bi('已驳回', 'Rejected'),
  CANCELLED: bi('已撤销', 'Cancelled'),
}

const shown = (at: string | null) =>
  at ? shanghaiClock(new Date(at)).slice(0, 16).replace('T', ' ') : '—'

async function statementPdf({
  period,
  versionNo,
  issuedAt,
  lang,
  content,
}: Ask): Promise<Uint8Array> {
  const t = (key: keyof typeof texts, values?: Record<string, string | number>) =>
    say(texts[key], lang, values)
  const { account, type: kinds } = (lang === 'en' ? locale.en : locale.zh).enums
  const doc = new PDFDocument({
    ...{ size: 'A4', margin: page.margin, bufferPages: true, compress: true },
    info: { Title: `${t('title')} ${content.orgName} ${period}`, Author: 'Huodao' },
  })
  const parts: Buffer[] = []
  doc.on('data', (part: Buffer) => parts.push(part))
  const ended = new Promise<void>((resolve) => doc.on('end', resolve))
  doc.registerFont('regular', font('Regular'))
  doc.registerFont('bold', font('Bold'))
  const write = (text: string, x: number, y: number, width: number, more = {}) =>
    doc.text(text, x, y, { width, lineBreak: false, ellipsis: true, ...more })

  const room = (height: number) => {
    if (doc.y + height > page.bottom) doc.addPage()
  }
  const heading = (text: string) => {
    room(70)
    doc.font('bold').fontSize(11).fillColor(ink.brand)
    const y = doc.y + 16
    write(text, page.margin, y, page.width)
    doc.y = y + 18
  }
  type Col = { readonly head: string; readonly part: number; readonly right?: true }
  const line = (cols: readonly Col[], cells: readonly string[], how: 'head' | 'row' | 'sum') => {
    room(18)
    const y = doc.y
    doc.font(how === 'row' ? 'regular' : 'bold').fontSize(how === 'head' ? 8 : 8.5)
    doc.fillColor(how === 'head' ? ink.quiet : ink.text)
    let x = page.margin
    for (const [n, { part, right }] of cols.entries()) {
      const width = page.width * part
      write(cells[n] ?? '', x + 2, y + 4, width - 6, right ? { align: 'right' } : {})
      x += width
    }
    doc.y = y + 18
    doc.moveTo(page.margin, doc.y).lineTo(page.margin + page.width, doc.y)
    doc.lineWidth(0.5).strokeColor(ink.line).stroke()
  }
  const table = (cols: readonly Col[], rows: readonly (readonly string[])[]) => {
    line(
      cols,
      cols.map(({ head }) => head),
      'head',
    )
    for (const row of rows) line(cols, row, 'row')
    if (!rows.length) line(cols, [t('none')], 'row')
  }

  doc.font('bold').fontSize(18).fillColor(ink.text)
  write(t('title'), page.margin, page.margin, page.width)
  doc.font('bold').fontSize(12)
  write(content.orgName, page.margin, page.margin + 30, page.width)
  doc.font('regular').fontSize(9).fillColor(ink.quiet)
  const about = [
    ...(content.orgCode ? [`${t('code')} ${content.orgCode}`] : []),
    `${t('period')} ${period}`,
    ...(versionNo ? [`${t('version')} v${versionNo}`] : []),
    `${t('issued')} ${shown(issuedAt)}`,
  ]
  write(about.join('    '), page.margin, page.margin + 50, page.width)
  doc.y = page.margin + 66

  const { sales } = content
  heading(t('sales'))
  table(
    [
      ...(['price', 'refundment', 'fee', 'gathering'] as const).map((key) => ({
        ...{ head: t(key), part: 0.2, right: true as const },
      })),
      { head: t('orders'), part: 0.2, right: true },
    ],
    [
      [
        ...[yuan(sales.price), yuan(sales.refundment), yuan(sales.fee)],
        ...[yuan(sales.price - sales.refundment - sales.fee), String(sales.orders)],
      ],
    ],
  )

  const cols: Col[] = [
    { head: t('type'), part: 0.43 },
    { head: t('count'), part: 0.13, right: true },
    { head: t('debit'), part: 0.22, right: true },
    { head: t('credit'), part: 0.22, right: true },
  ]
  for (const { code, opening, closing, moves } of content.accounts) {
    heading(`${account[code]} (${code})`)
    line(
      cols,
      cols.map(({ head }) => head),
      'head',
    )
    line(cols, [t('opening'), '', '', yuan(opening)], 'sum')
    for (const { type, count, debit, credit } of moves)
      line(cols, [kinds[type], String(count), yuan(debit), yuan(credit)], 'row')
    line(cols, [t('closing'), '', '', yuan(closing)], 'sum')
  }

  heading(t('strategies'))
  table(
    [
      { head: t('name'), part: 0.4 },
      { head: t('version'), part: 0.12 },
      { head: t('mode'), part: 0.28 },
      { head: t('ratio'), part: 0.2, right: true },
    ],
    content.strategies.map(({ name, versionNo: no, mode, ratioBp, isCollector }) => [
      ...[isCollector ? `${name} · ${t('collects')}` : name, `v${no}`, say(ways[mode], lang)],
      `${(ratioBp / 100).toFixed(2)}%`,
    ]),
  )
  heading(t('withdrawals'))
  table(
    [
      { head: t('number'), part: 0.28 },
      { head: t('asked'), part: 0.2 },
      { head: t('paid'), part: 0.2 },
      { head: t('state'), part: 0.14 },
      { head: t('amount'), part: 0.18, right: true },
    ],
    content.withdrawals.map(({ no, requestedAt, paidAt, state, amount }) => [
      ...[
        no,
        shown(requestedAt),
        shown(paidAt),
        say(states[state] ?? bi(state, state), lang),
        yuan(amount),
      ],
    ]),
  )
  heading(t('debts'))
  table(
    [
      { head: t('order'), part: 0.34 },
      { head: t('made'), part: 0.26 },
      { head: t('amount'), part: 0.2, right: true },
      { head: t('rest'), part: 0.2, right: true },
    ],
    content.debts.map(({ orderNum, createdAt, amount, rest }) => [
      ...[orderNum, shown(createdAt), yuan(amount), yuan(rest)],
    ]),
  )
  room(30)
  doc.font('regular').fontSize(8).fillColor(ink.quiet)
  doc.text(t('note'), page.margin, doc.y + 12, { width: page.width })
  const { count: all } = doc.bufferedPageRange()
  for (let n = 0; n < all; n += 1) {
    doc.switchToPage(n)
    doc.page.margins.bottom = 0
    doc.font('regular').fontSize(8).fillColor(ink.quiet)
    const foot = `Huodao 货道  ·  ${content.orgName}  ·  ${period}${versionNo ? ` v${versionNo}` : ''}`
    write(foot, page.margin, 808, page.width * 0.7)
    write(t('pageOf', { n: n + 1, all }), page.margin, 808, page.width, { align: 'right' })
  }
  doc.end()
  await ended
  return new Uint8Array(Buffer.concat(parts))
}

export const work = { statementPdf }
serveThread(work)
