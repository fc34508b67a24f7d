import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { common } from '../../../../shared/errors.ts'
import { yuan } from '../../../../shared/money.ts'
import { say } from '../../../../shared/text.ts'
import { useWrite } from '../../../../web/api.ts'
import { useConfirm } from '../../../../web/confirm.tsx'
import { usePrefs } from '../../../../web/prefs.ts'
import { LanePatch, lanes, type Planogram } from '../../contract.ts'
import { laneRule, laneView, merged, type Product } from '../../rules.ts'
import { type Goods, goodsOf, productOf, roadText, type ShownRoad, toLane } from '../shown.ts'
import { back, blank, conflicts, type Draft, edited, type Field, forth, step } from './drafts.ts'

export type Errors = Partial<Record<string, string>>
/** Settings of a lane on their way to others, and the product they speak of. */
export type Clip = {
  fields: Pick<
    ShownRoad,
    'productId' | 'price' | 'retailPrice' | 'roadCapacity' | 'warnQty' | 'restriction'
  >
  goods: Goods | null
}
const stale = common.stale.code
/** Typed letter by letter, so a step back takes the whole word. */
const typed: readonly Field[] = [
  'price',
  'retailPrice',
  'roadCapacity',
  'warnQty',
  'restriction',
  'motorNo',
]

/**
 * What was changed and not saved yet, lane by lane; the rules that judge it run again in the verb.
 */
export function useDrafts(plan: Planogram, roads: readonly ShownRoad[], onStale: () => void) {
  const { t } = useTranslation('lanes')
  const { lang } = usePrefs()
  const confirm = useConfirm()
  const [history, setHistory] = useState(blank)
  const [errors, setErrors] = useState<ReadonlyMap<number, Errors>>(new Map())
  const goods = useRef(new Map<number, Goods>())
  /** The version a save came too late for. */
  const late = useRef<number | null>(null)
  /** The version our last save made: what Ctrl Z takes back when nothing is unsaved. */
  const [lastSave, setLastSave] = useState<number | null>(null)
  const write = useWrite(lanes.update, {
    success: 'web:success.saved',
    claims: (error) => error.errors.length > 0 || error.code === stale,
  })
  for (const road of roads)
    if (road.productId !== null && !goods.current.has(road.productId))
      goods.current.set(road.productId, goodsOf(road))

  const base = useMemo(
    () => new Map(roads.filter((road) => road.status !== 'MERGED').map((road) => [road.id, road])),
    [roads],
  )
  const live = useMemo(
    () => new Map([...history.now].filter(([id]) => base.has(id))),
    [history, base],
  )
  const overwritten = useMemo(() => conflicts(live, base), [live, base])
  const shown = useMemo(
    () =>
      roads.map((road) => {
        const draft = live.get(road.id)
        return draft ? preview(road, draft.fields, goods.current) : road
      }),
    [roads, live],
  )

  const known = (ids: readonly number[]) => ids.flatMap((id) => base.get(id) ?? [])
  const apply = (
    ids: readonly number[],
    fieldsOf: (road: ShownRoad, held: Draft) => Draft,
    key: string | null = null,
  ) => {
    setHistory((held) => step(held, edited(held.now, known(ids), fieldsOf), key))
    setErrors((held) => new Map([...held].filter(([id]) => !ids.includes(id))))
  }
  /** One field of some lanes; null empties a field, undefined leaves it as it was. */
  const set = (ids: readonly number[], field: Field, value: unknown, option?: Goods) => {
    if (option) goods.current.set(option.id, option)
    const key = typed.includes(field) ? `${field}/${ids.join()}` : null
    apply(
      ids,
      (_, { [field]: __, ...rest }) => {
        // another product brings its own prices
        if (field === 'productId')
          for (const own of ['price', 'retailPrice', 'warnQty'] as const)
            delete (rest as Draft)[own]
        return { ...rest, [field]: value }
      },
      key,
    )
  }
  /** Clips lane by lane, from the first one again when there are more lanes. */
  const paste = (ids: readonly number[], clips: readonly Clip[]) => {
    for (const { goods: one } of clips) if (one) goods.current.set(one.id, one)
    const clipOf = new Map(ids.map((id, i) => [id, clips[i % clips.length]]))
    apply(ids, (road, held) => {
      const { price, retailPrice, ...rest } = clipOf.get(road.id)?.fields ?? road
      return {
        ...held,
        ...rest,
        ...(rest.productId === null ? {} : { price, retailPrice }),
      } as Draft
    })
  }
  const drop = (ids: readonly number[]) => apply(ids, () => ({}))
  const clear = () => {
    setHistory(blank)
    setErrors(new Map())
  }
  /** Lanes were saved as this version; the steps before it lead nowhere any more. */
  const saved = (version: number | null) => {
    setLastSave(version)
    clear()
  }
  const move = (go: typeof back) => () => {
    setHistory(go)
    setErrors(new Map())
  }

  const check = (): Map<number, Errors> => {
    const found = new Map<number, Errors>()
    for (const [id, { fields }] of live) {
      const road = base.get(id) as ShownRoad
      const shape = LanePatch.omit({ id: true }).safeParse(fields)
      if (!shape.success) {
        found.set(
          id,
          Object.fromEntries(
            shape.error.issues.map((issue) => [String(issue.path[0]), say(issue.message, lang)]),
          ),
        )
        continue
      }
      const product = productFor(road, fields, goods.current)
      const wrong = laneRule(
        toLane(road),
        merged(toLane(road), { id, ...shape.data } as LanePatch, product),
        product,
        plan.device,
      )
      if (wrong) found.set(id, { [wrong.field]: say(wrong.def.text, lang) })
    }
    return found
  }
  /** What somebody else made of the fields that a save would overwrite: `03 售价 ¥3.00`. */
  const theirs = [...overwritten].map(([id, fields]) => {
    const road = base.get(id) as ShownRoad
    return `${roadText(road)} ${fields.map((field) => `${t(`fields.${field}`)} ${valueText(road, field, (status) => t(`enums.status.${status}`))}`).join(' ')}`
  })
  const save = async () => {
    const found = check()
    setErrors(found)
    if (found.size > 0 || live.size === 0 || write.isPending) return
    if (
      theirs.length > 0 &&
      !(await confirm({
        title: t('overwriteAsk', { n: theirs.length }),
        content: t('overwriteTheirs', { list: theirs.slice(0, 20).join('；') }),
        ok: t('overwrite'),
      }))
    )
      return
    const patches = [...live].map(([id, { fields }]) => ({
      id,
      ...(fields as Omit<LanePatch, 'id'>),
    }))
    write.mutate(
      { deviceId: plan.device.id, version: plan.version, lanes: patches },
      {
        onSuccess: (answer) => saved(answer.version),
        onError: (error) => {
          // `lanes.3.price`: the third patch; what names no lane belongs to the first
          const named = error.errors.map(({ field, message }) => {
            const [, index = '0', key = field] = field.split('.')
            return [patches[Number(index)]?.id ?? patches[0]?.id ?? 0, { [key]: message }] as const
          })
          setErrors(new Map(named))
          if (error.code !== stale) return
          late.current = plan.version
          onStale()
        },
      },
    )
  }
  // saved anew on what somebody else made of the machine; where both changed the same, the person
  // is asked
  useEffect(() => {
    if (late.current === null || late.current === plan.version) return
    late.current = null
    void save()
  })
  return {
    drafts: live,
    errors,
    shown,
    set,
    paste,
    drop,
    reset: () => drop([...live.keys()]),
    forget: clear,
    back: history.past.length > 0 ? move(back) : undefined,
    forth: history.future.length > 0 ? move(forth) : undefined,
    save: () => void save(),
    saved,
    /** Lanes somebody else changed where our drafts do. */
    overwritten,
    /** Drafts of lanes that are gone: somebody drew or joined them anew. */
    lost: history.now.size - live.size,
    /** True while the last save of this page is also the newest of the machine. */
    canUndo: lastSave !== null && lastSave === plan.version,
    dirty: live.size > 0,
    busy: write.isPending,
  }
}

function valueText(
  road: ShownRoad,
  field: Field,
  status: (value: ShownRoad['status']) => string,
): string {
  if (field === 'productId') return road.productName ?? '—'
  if (field === 'price' || field === 'retailPrice')
    return road[field] === null ? '—' : yuan(road[field])
  return field === 'status' ? status(road.status) : String(road[field])
}

function productFor(
  road: ShownRoad,
  draft: Draft,
  goods: ReadonlyMap<number, Goods>,
): Product | null {
  if (draft.productId === undefined || draft.productId === road.productId) return productOf(road)
  const known = draft.productId === null ? undefined : goods.get(draft.productId)
  return known ? { ...known, costPrice: known.costPrice ?? 0 } : null
}

/** The lane as it will be once its draft is saved. */
function preview(road: ShownRoad, draft: Draft, goods: ReadonlyMap<number, Goods>): ShownRoad {
  const given = Object.fromEntries(
    Object.entries(draft).filter(([key, value]) => value !== null || key === 'productId'),
  )
  const after = merged(
    toLane(road),
    { id: road.id, ...given } as LanePatch,
    productFor(road, draft, goods),
  )
  const known = after.productId === null ? undefined : goods.get(after.productId)
  return {
    ...road,
    productId: after.productId,
    productName: known?.name ?? null,
    productImg: known?.img ?? null,
    model: known?.model ?? null,
    drugClass: known?.drugClass ?? null,
    costPrice: known?.costPrice ?? null,
    roadCapacity: after.capacity,
    warnQty: after.warnQty,
    price: after.price,
    retailPrice: after.retailPrice,
    restriction: after.restriction,
    motorNo: after.motorNo,
    status: after.status,
    view: laneView(after),
    draft: true,
  }
}
