import { type RawBuilder, sql } from 'kysely'
import { type Ctx, visible } from '../../../server/context.ts'
import { addDays, startOfDay } from '../../../shared/instants.ts'
import { dutySeconds } from '../../drug-guard/rules.ts'
import type { Params } from '../contract.ts'

/** What the files of a package are about. */
export type About = {
  readonly params: Params
  readonly deviceIds: readonly number[]
  readonly asOf: Date
  readonly logs: boolean
}
type Column = readonly [zh: string, en: string, value: RawBuilder<unknown>]
export type Section = {
  readonly file: string
  readonly zh: string
  readonly en: string
  readonly columns: readonly Column[]
  /** Ordered, and nothing in it is later than the data-as-of. */
  readonly from: RawBuilder<unknown>
}

const at = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI:SS')`
const ref = (column: string) => sql.ref(column)
const device: Column = ['机器编号', 'Machine', sql`d.rtu_number`]

/** Every file of a package; whoever adds one adds it here. All of it within the actor's scope. */
export function sectionsOf(ctx: Pick<Ctx, 'actor'>, about: About): Section[] {
  const { params, asOf } = about
  const ids = sql`any(${[...about.deviceIds]}::bigint[])`
  const from = startOfDay(params.from)
  const end = startOfDay(addDays(params.to, 1))
  const during = (column: string) =>
    sql`${ref(column)} >= ${from} and ${ref(column)} < ${end} and ${ref(column)} <= ${asOf}`
  const own = (alias: string) =>
    sql`${ref(`${alias}.device_id`)} = ${ids} and ${visible(ctx, `${alias}.org_id`, `${alias}.device_id`)}`
  const flows = sql`${own('f')} and ${during('f.created_at')}
    ${params.batchId === null ? sql`` : sql`and f.batch_id = ${params.batchId}`}
    ${params.code === null ? sql`` : sql`and f.codes @> array[${params.code}]`}`
  const batchIds = sql`any(array(select distinct f.batch_id from stock_flows f
    where ${flows} and f.batch_id is not null union select ${params.batchId}::bigint))`
  const sections: Section[] = [
    {
      file: 'devices.csv',
      zh: '设备与许可',
      en: 'Machines and licences',
      columns: [
        device,
        ['名称', 'Name', sql`d.nickname`],
        ['类型', 'Kind', sql`d.kind`],
        ['售药方式', 'Dispensing mode', sql`d.dispensing_mode`],
        ['许可证号', 'Licence', sql`d.licence_no`],
        ['许可地址', 'Licensed address', sql`d.licence_address`],
        ['许可有效期', 'Licensed until', sql`d.licence_until`],
        ['地区', 'Region', sql`concat_ws(' ', d.province, d.city, d.county)`],
        ['地址', 'Address', sql`d.address`],
        ['机构', 'Organisation', sql`o.name`],
      ],
      from: sql`devices d left join organisations o on o.id = d.org_id
        where d.id = ${ids} and ${visible(ctx, 'd.org_id', 'd.id')} order by d.id`,
    },
    {
      file: 'planograms.csv',
      zh: '货道方案版本',
      en: 'Planogram versions',
      columns: [
        device,
        ['版本', 'Version', sql`v.version`],
        ['来源', 'Source', sql`v.source`],
        ['时间', 'Time', at('v.created_at')],
        ['变更', 'Changes', sql`v.diff`],
        ['方案摘要', 'Digest', sql`encode(sha256(convert_to(v.doc::text, 'UTF8')), 'hex')`],
      ],
      from: sql`planogram_versions v join devices d on d.id = v.device_id
        where ${own('v')} and ${during('v.created_at')} order by v.device_id, v.version`,
    },
    {
      file: 'batches.csv',
      zh: '批次与供应商',
      en: 'Batches and suppliers',
      columns: [
        ['批号', 'Batch', sql`b.batch_no`],
        ['商品', 'Product', sql`p.name`],
        ['通用名', 'Generic name', sql`p.generic_name`],
        ['批准文号', 'Approval no.', sql`p.approval_no`],
        ['生产企业', 'Manufacturer', sql`p.manufacturer`],
        ['生产日期', 'Produced', sql`b.produced_on`],
        ['有效期至', 'Good until', sql`b.expires_on`],
        ['检验报告', 'Test report', sql`b.report`],
        ['供应商', 'Supplier', sql`s.name`],
        ['统一社会信用代码', 'Credit code', sql`s.credit_code`],
        ['许可证', 'Licence', sql`s.licence`],
        ['许可证有效期', 'Licensed until', sql`s.licence_until`],
      ],
      from: sql`batches b join products p on p.id = b.product_id
        left join suppliers s on s.id = b.supplier_id
          and (${visible(ctx, 's.org_id')} or ${visible(ctx, 's.supplier_org_id')})
        where b.id = ${batchIds} and b.created_at <= ${asOf} order by b.id`,
    },
    {
      file: 'stock-flows.csv',
      zh: '库存流水',
      en: 'Stock flows',
      columns: [
        ['流水号', 'Flow', sql`f.waste_num`],
        ['机器编号', 'Machine', sql`f.rtu_number`],
        ['货道', 'Lane', sql`f.cargo_road`],
        ['商品', 'Product', sql`f.product_name`],
        ['类型', 'Type', sql`f.type`],
        ['原因', 'Reason', sql`f.reason`],
        ['变动前', 'Before', sql`f.before_total`],
        ['变动', 'Change', sql`f.change_total`],
        ['变动后', 'After', sql`f.after_total`],
        ['批号', 'Batch', sql`f.batch_no`],
        ['追溯码', 'Trace codes', sql`array_to_string(f.codes, ' ')`],
        ['订单号', 'Order', sql`f.order_num`],
        ['时间', 'Time', at('f.created_at')],
      ],
      from: sql`stock_flows f where ${flows} order by f.created_at, f.id`,
    },
    {
      file: 'trace-codes.csv',
      zh: '追溯码',
      en: 'Trace codes',
      columns: [
        ['追溯码', 'Trace code', sql`c.code`],
        ['批号', 'Batch', sql`f.batch_no`],
        ['机器编号', 'Machine', sql`f.rtu_number`],
        ['货道', 'Lane', sql`f.cargo_road`],
        ['类型', 'Type', sql`f.type`],
        ['订单号', 'Order', sql`f.order_num`],
        ['时间', 'Time', at('f.created_at')],
      ],
      from: sql`stock_flows f cross join lateral unnest(f.codes) as c(code)
        where ${flows} and f.codes is not null
          ${params.code === null ? sql`` : sql`and c.code = ${params.code}`}
        order by f.created_at, f.id, c.code`,
    },
    {
      file: 'temperatures.csv',
      zh: '温湿度',
      en: 'Temperature and humidity',
      columns: [
        device,
        ['小时', 'Hour', at('h.hour')],
        ['最低温度', 'Lowest', sql`h.temp_min`],
        ['最高温度', 'Highest', sql`h.temp_max`],
        [
          '平均温度',
          'Mean',
          sql`case when h.temp_count > 0
            then round((h.temp_sum / h.temp_count)::numeric, 1) end`,
        ],
        ['最低湿度', 'Driest', sql`h.hum_min`],
        ['最高湿度', 'Most humid', sql`h.hum_max`],
      ],
      from: sql`telemetry_hours h join devices d on d.id = h.device_id
        where ${own('h')} and ${during('h.hour')} order by h.device_id, h.hour`,
    },
    {
      file: 'mode-changes.csv',
      zh: '售药方式变更',
      en: 'Changes of the dispensing mode',
      columns: [
        device,
        ['原方式', 'From', sql`m.mode_from`],
        ['新方式', 'To', sql`m.mode_to`],
        ['原因', 'Reason', sql`m.reason`],
        ['申请时间', 'Asked', at('m.asked_at')],
        ['结果', 'Result', sql`case when m.decided_at <= ${asOf} then m.state end`],
        [
          '决定时间',
          'Decided',
          sql`case when m.decided_at <= ${asOf} then ${at('m.decided_at')} end`,
        ],
      ],
      from: sql`dispensing_mode_changes m join devices d on d.id = m.device_id
        where ${own('m')} and ${during('m.asked_at')} order by m.asked_at, m.id`,
    },
    {
      file: 'duties.csv',
      zh: '药师值守',
      en: 'Pharmacists on duty',
      columns: [
        ['门店', 'Store', sql`a.store_name`],
        ['药师', 'Pharmacist', sql`a.name`],
        ['注册证编号', 'Licence', sql`a.licence_no`],
        ['值守方式', 'Where', sql`a.place`],
        ['上岗时间', 'Began', at('a.began_at')],
        ['离岗时间', 'Ended', stillOrEnded(asOf)],
      ],
      // those that lasted into the time, too
      from: sql`pharmacist_duties a where a.began_at < ${end} and a.began_at <= ${asOf}
        and a.began_at > ${from}::timestamptz - interval '1 day'
        and coalesce(a.ended_at, ${asOf}) >= ${from}
        and exists (select from devices d where d.store_id = a.store_id and d.org_id = a.org_id
          and d.id = ${ids} and ${visible(ctx, 'd.org_id', 'd.id')})
        order by a.began_at, a.id`,
    },
    {
      file: 'special-purchases.csv',
      zh: '特殊药品实名登记',
      en: 'Registered buyers of special drugs',
      columns: [
        device,
        ['订单号', 'Order', sql`u.order_num`],
        ['件号', 'Piece', sql`u.unit_no`],
        ['商品', 'Product', sql`u.product_name`],
        ['规格', 'Size', sql`u.model`],
        ['购买人', 'Buyer', sql`s.buyer`],
        ['身份证号', 'Identity card', sql`s.card`],
        // whoever reads it must not take a number that was typed in for one that was checked
        [
          '身份核验（FORM：仅格式与校验码）',
          'Identity checked (FORM: form and check digit only)',
          sql`'FORM'`,
        ],
        ['下单时间', 'Ordered', at('s.order_at')],
        ['出货结果', 'Result', sql`case when u.finished_at <= ${asOf} then u.vend_state end`],
      ],
      // without the bounds of the pieces every month of them would be opened
      from: sql`special_purchases s join devices d on d.id = s.device_id
        join order_units u on u.org_id = s.org_id and u.created_at = s.order_at
          and u.order_id = s.order_id and u.unit_no = s.unit_no
        where ${own('s')} and ${during('s.order_at')} and ${during('u.created_at')}
        order by s.order_at, s.order_id, s.unit_no`,
    },
    {
      file: 'refusals.csv',
      zh: '合规拒绝',
      en: 'What the guard refused',
      columns: [
        device,
        ['货道', 'Lane', sql`x.road`],
        ['商品', 'Product', sql`x.product_name`],
        ['药品分类', 'Drug class', sql`x.drug_class`],
        ['规则', 'Rule', sql`x.rule`],
        ['原因', 'Reason', sql`x.key`],
        ['环节', 'At', sql`x.act`],
        ['操作人', 'Who', sql`x.who`],
        ['首次时间', 'First', at('x.first_at')],
      ],
      from: sql`drug_guard_refusals x join devices d on d.id = x.device_id
        where ${own('x')} and ${during('x.first_at')} order by x.first_at, x.id`,
    },
    {
      file: 'temperature-excursions.csv',
      zh: '温度偏离',
      en: 'Temperature excursions',
      columns: [
        device,
        ['类型', 'Kind', sql`x.kind`],
        ['开始', 'Began', at('x.from_at')],
        ['结束', 'Ended', sql`case when x.to_at <= ${asOf} then ${at('x.to_at')} end`],
        ['下限', 'Lower limit', sql`x.limit_low`],
        ['上限', 'Upper limit', sql`x.limit_high`],
        ['最低温度', 'Lowest', sql`case when x.to_at <= ${asOf} then x.temp_min end`],
        ['最高温度', 'Highest', sql`case when x.to_at <= ${asOf} then x.temp_max end`],
        ['曲线', 'Curve', sql`case when x.to_at <= ${asOf} then x.curve end`],
        [
          '停售时间',
          'Stopped',
          sql`case when x.locked_at <= ${asOf} then ${at('x.locked_at')} end`,
        ],
        ['处置', 'Decision', sql`case when x.decided_at <= ${asOf} then x.decision end`],
        ['处置原因', 'Why', sql`case when x.decided_at <= ${asOf} then x.reason end`],
      ],
      from: sql`temperature_excursions x join devices d on d.id = x.device_id
        where ${own('x')} and ${during('x.from_at')} order by x.from_at, x.id`,
    },
    {
      file: 'recalls.csv',
      zh: '召回',
      en: 'Recalls',
      columns: [
        ['批号', 'Batch', sql`b.batch_no`],
        ['级别', 'Level', sql`r.level`],
        ['公告号', 'Notice', sql`r.recall_no`],
        ['原因', 'Reason', sql`r.reason`],
        ['召回时间', 'Recalled', at('r.recalled_at')],
        ['机器编号', 'Machine', sql`d.rtu_number`],
        ['锁定货道', 'Locked lanes', sql`v.lanes`],
        ['锁定件数', 'Pieces', sql`v.pieces`],
        ['解除时间', 'Ended', sql`case when r.ended_at <= ${asOf} then ${at('r.ended_at')} end`],
        ['解除原因', 'Why ended', sql`case when r.ended_at <= ${asOf} then r.end_reason end`],
      ],
      from: sql`recall_devices v join recalls r on r.id = v.recall_id
        join batches b on b.id = r.batch_id join devices d on d.id = v.device_id
        where ${own('v')} and ${during('r.recalled_at')}
          ${params.batchId === null ? sql`` : sql`and r.batch_id = ${params.batchId}`}
        order by r.recalled_at, r.id, v.device_id`,
    },
    {
      file: 'faults.csv',
      zh: '故障',
      en: 'Faults',
      columns: [
        device,
        ['货道', 'Lane', sql`x.road`],
        ['代码', 'Code', sql`x.code`],
        ['级别', 'Level', sql`x.level`],
        ['开始', 'Began', at('x.opened_at')],
        ['结束', 'Ended', sql`case when x.closed_at <= ${asOf} then ${at('x.closed_at')} end`],
      ],
      from: sql`device_faults x join devices d on d.id = x.device_id
        where ${own('x')} and ${during('x.opened_at')} order by x.opened_at, x.id`,
    },
  ]
  if (!about.logs) return sections
  const texts = sql`any(${about.deviceIds.map(String)}::text[])`
  return [
    ...sections,
    {
      file: 'operation-log.csv',
      zh: '操作日志',
      en: 'Operation log',
      columns: [
        ['日志', 'Row', sql`l.id`],
        ['时间', 'Time', at('l.created_at')],
        ['操作人', 'Who', sql`l.username`],
        ['操作', 'Act', sql`l.action`],
        ['对象', 'Of', sql`l.target_name`],
        ['结果', 'Result', sql`l.result`],
        ['变更前', 'Before', sql`l.before`],
        ['变更后', 'After', sql`l.after`],
      ],
      from: sql`operation_logs l where ${visible(ctx, 'l.org_id')} and ${during('l.created_at')}
        and (l.resource_id = ${texts}
            and split_part(l.action, '.', 1) = any(${deviceModules}::text[])
          or l.resource_id = any(array(select b.id::text from batches b where b.id = ${batchIds}))
            and l.action like 'batches.%')
        order by l.created_at, l.id`,
    },
  ]
}

/** One that lapsed ended then, whether or not the sweep has said so yet. */
const stillOrEnded = (asOf: Date) => {
  const ended = sql`coalesce(a.ended_at, a.seen_at + make_interval(secs => ${dutySeconds}))`
  return sql`case when ${ended} <= ${asOf}
    then to_char(${ended} at time zone 'Asia/Shanghai', 'YYYY-MM-DD HH24:MI:SS') end`
}

/** Whose acts on a machine are named by its id. */
const deviceModules = ['devices', 'lanes', 'deviceSettings', 'distribution', 'deviceCommands']
