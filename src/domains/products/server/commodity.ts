import { sql } from 'kysely'
import type { Handlers } from '../../../server/bind.ts'
import type { Ctx } from '../../../server/context.ts'
import { rowOf } from '../../../server/rows.ts'
import { shape } from '../../../server/shapes.ts'
import { Refusal } from '../../../shared/errors.ts'
import { shanghaiDay } from '../../../shared/instants.ts'
import { buyerErrors } from '../buyerRules.ts'
import { CommodityContent } from '../commodityContract.ts'
import type { products } from '../contract.ts'

type Place = {
  price: number
  usualPrice: number
  restriction: number
  recalled: boolean
  licenceNo: string
  servicePhone: string
}

const recalled = sql`exists (select from lane_layers y join batches b on b.id = y.batch_id
  where y.lane_id = l.id and b.status = 'RECALLED')`

/** The lane of a machine that is open for buyers, the first one where no lane is said. */
const placeOf = (ctx: Ctx, id: number, rtu: string, road: number | undefined) =>
  rowOf<Place>(ctx.db)`select l.price, l.retail_price as "usualPrice", l.restriction,
      ${road === undefined ? sql`false` : recalled} as recalled, d.licence_no as "licenceNo",
      o.service_phone as "servicePhone"
    from devices d join lanes l on l.device_id = d.id join organisations o on o.id = d.org_id
    where d.rtu_number = ${rtu} and d.lifecycle = 'OPERATING' and l.archived_at is null
      and l.product_id = ${id} and ${road === undefined ? sql`true` : sql`l.road_index = ${road}`}
    order by l.road_index limit 1`

/** A product that stands nowhere is its owner's business, as if it were not there. */
const content = (ctx: Ctx, id: number) =>
  shape(
    CommodityContent,
    ['products', 'p'],
    {
      insuranceClass: sql`(select m.insurance_class from medical_insurance_items m
        where m.product_id = p.id
          and ${shanghaiDay(ctx.now)} between m.valid_from and m.valid_until)`,
      price: sql`p.retail_price`,
      restriction: sql`p.purchase_limit`,
    },
    ['usualPrice', 'recalled', 'licenceNo', 'servicePhone'],
  ).one(
    ctx.db,
    sql`from products p where p.id = ${id} and exists (select from lanes l
      join devices d on d.id = l.device_id
      where l.product_id = p.id and l.archived_at is null and d.lifecycle = 'OPERATING')`,
  )

export const commodityContent: Handlers<typeof products>['commodityContent'] = async (
  ctx,
  { id, rtu, road },
) => {
  const product = await content(ctx, id)
  if (!product) throw new Refusal(buyerErrors.gone)
  const place = rtu === undefined ? undefined : await placeOf(ctx, id, rtu, road)
  const sells = product.status === 'ON'
  const drug = product.drugClass !== 'NONE'
  // prescription drugs are not advertised: no price beside another
  const compared = sells && product.drugClass !== 'RX' && place && place.price < place.usualPrice
  const limits = [product.restriction, place?.restriction ?? 0].filter((limit) => limit > 0)
  return {
    ...product,
    price: sells ? (place?.price ?? product.price) : null,
    usualPrice: compared ? place.usualPrice : null,
    restriction: limits.length ? Math.min(...limits) : 0,
    recalled: place?.recalled ?? false,
    licenceNo: drug ? (place?.licenceNo ?? '') : '',
    servicePhone: place?.servicePhone ?? '',
  }
}
