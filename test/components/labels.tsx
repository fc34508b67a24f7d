import { z } from 'zod'
import { read, write } from '../../src/shared/contract.ts'
import * as f from '../../src/shared/fields.ts'
import { keyword, listQuery, page } from '../../src/shared/listQuery.ts'
import { defineLocale } from '../../src/shared/locale.ts'
import { bi } from '../../src/shared/text.ts'
import { useCols } from '../../src/web/columns.tsx'
import {
  MoneyField,
  SelectField,
  SwitchField,
  TextAreaField,
  TextField,
} from '../../src/web/form/fields.tsx'
import { registerLocale } from '../../src/web/i18n.ts'
import { ListPage } from '../../src/web/ListPage.tsx'
import { answer, refused } from './world.tsx'

/** A domain of nobody: price labels, with a field of every common kind. */
const fields = {
  name: f.text(20, bi('请输入名称', 'Enter a name')),
  kind: z
    .enum(['SHELF', 'DOOR'], bi('请选择种类', 'Choose a kind'))
    .meta({ tones: { SHELF: 'online', DOOR: 'fault' } }),
  price: f.price,
  printed: z.boolean().default(false),
  remark: f.optionalText(60),
}
export const LabelRow = z.strictObject({
  id: f.id,
  ...f.shown(fields),
  count: z.number().int().nullable(),
  createTime: f.instant,
  version: f.version,
  can: z.strictObject({ update: z.boolean(), delete: z.boolean() }),
})
export type LabelRow = z.infer<typeof LabelRow>
const Option = z.strictObject({ id: f.id, name: z.string() })

export const labels = {
  list: read('label:read', {
    path: '/labels',
    summary: 'Labels',
    input: listQuery(
      {
        keyword,
        kind: fields.kind.optional(),
        priceFrom: f.fen.optional(),
        from: f.day.optional(),
        to: f.day.optional(),
      },
      ['name', 'price', 'createTime'],
      '-createTime',
    ),
    output: page(LabelRow),
    export: 'label:export',
  }),
  get: read('label:read', {
    path: '/labels/{id}',
    summary: 'A label',
    input: z.strictObject({ id: f.id }),
    output: LabelRow,
  }),
  options: read('label:read', {
    path: '/labels/options',
    summary: 'Labels for a select box',
    input: z.strictObject({ keyword, id: f.id.optional() }),
    output: z.strictObject({ list: z.array(Option) }),
  }),
  short: read('label:read', {
    path: '/labels/short',
    summary: 'The few labels there are',
    output: z.strictObject({ list: z.array(Option) }),
  }),
  create: write('label:create', {
    path: '/labels',
    summary: 'Add a label',
    audit: 'labels.create',
    input: z.strictObject(fields),
    output: LabelRow,
    idempotent: true,
  }),
  update: write('label:update', {
    method: 'PUT',
    path: '/labels/{id}',
    summary: 'Change a label',
    audit: 'labels.update',
    input: z.strictObject({ id: f.id, version: f.version, ...fields }),
    output: LabelRow,
  }),
  remove: write('label:delete', {
    method: 'DELETE',
    path: '/labels/{id}',
    summary: 'Delete a label',
    audit: 'labels.remove',
    input: z.strictObject({ id: f.id, version: f.version }),
    output: f.done,
  }),
}

registerLocale(
  'labels',
  defineLocale(
    {
      one: '标签',
      many: '标签',
      fields: {
        name: '名称',
        kind: '种类',
        price: '价格',
        printed: '已打印',
        count: '数量',
        priceFrom: '最低价格',
      },
      enums: { kind: { SHELF: '货架', DOOR: '柜门' } },
    },
    {
      one: 'label',
      many: 'labels',
      fields: {
        name: 'Name',
        kind: 'Kind',
        price: 'Price',
        printed: 'Printed',
        count: 'Count',
        priceFrom: 'Price from',
      },
      enums: { kind: { SHELF: 'Shelf', DOOR: 'Door' } },
    },
  ),
)

export const label = (id: number, change: Partial<LabelRow> = {}): LabelRow => ({
  id,
  name: `标签${id}`,
  kind: 'SHELF',
  price: 350,
  printed: false,
  remark: '',
  count: 3,
  createTime: '2026-11-20T02:00:00Z',
  version: 1,
  can: { update: true, delete: true },
  ...change,
})

/**
 * The server keeps these labels: pages, filters by kind, and refuses what was changed meanwhile.
 */
export function keepLabels(rows: LabelRow[]): LabelRow[] {
  const stale = refused(409, 'common.stale', '数据已被他人修改，请刷新后重试')
  answer('GET /api/labels', ({ query }) => {
    const found = rows.filter(
      (row) =>
        (!query.kind || row.kind === query.kind) &&
        row.price >= Number(query.priceFrom ?? 0) &&
        (!query.keyword || row.name.includes(query.keyword)),
    )
    const [number, size] = [Number(query.page ?? 1), Number(query.pageSize ?? 20)]
    return { list: found.slice((number - 1) * size, number * size), total: found.length }
  })
  answer(
    'GET /api/labels/{id}',
    ({ path }) =>
      rows.find((row) => path.endsWith(`/${row.id}`)) ?? refused(404, 'common.notFound', '没有'),
  )
  answer('POST /api/labels', ({ body }) => {
    const made = label(rows.length + 1, body)
    rows.push(made)
    return made
  })
  answer('PUT /api/labels/{id}', ({ path, body }) => {
    const at = rows.findIndex((row) => path.endsWith(`/${row.id}`))
    const row = rows[at]
    if (!row || row.version !== body.version) return stale
    rows[at] = { ...row, ...body, version: row.version + 1 }
    return rows[at]
  })
  answer('DELETE /api/labels/{id}', ({ path, query }) => {
    const at = rows.findIndex((row) => path.endsWith(`/${row.id}`))
    if (String(rows[at]?.version) !== query.version) return stale
    rows.splice(at, 1)
    return { ok: true }
  })
  return rows
}

export const LabelFields = () => (
  <>
    <TextField name="name" count />
    <SelectField name="kind" />
    <MoneyField name="price" />
    <SwitchField name="printed" />
    <TextAreaField name="remark" />
  </>
)

type Props = Partial<Parameters<typeof ListPage<typeof labels.list>>[0]>
export function LabelList(props: Props) {
  const col = useCols(LabelRow, 'labels')
  return (
    <ListPage
      title="价格标签"
      ns="labels"
      endpoint={labels.list}
      records={{ ...labels, get: undefined as never, fields: LabelFields }}
      filters={['keyword', 'kind', 'range']}
      columns={[
        col('name'),
        col('kind'),
        col('price'),
        col('count'),
        col('printed'),
        col('remark'),
        col('createTime'),
      ]}
      card={['price', 'count', 'remark']}
      {...props}
    />
  )
}
