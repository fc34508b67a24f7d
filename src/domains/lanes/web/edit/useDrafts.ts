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
import { type Goods, goodsOf, roadText, type ShownRoad, toLane } from '../shown.ts'
import { back, blank, conflicts, type Draft, edited, type Field, forth, step } from './drafts.ts'

type Errors = Readonly<Record<string, string>>
const stale = common.stale.code
/** Typed letter by letter, so a step back takes the whole word. */
const isTyped = (field: Field) => field !== 'productId' && field !== 'status'

const ownOfGoods = ['price', 'retailPrice', 'warnQty'] as const

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
  type FieldsOf = Parameters<typeof edited>[2]
  const apply = (ids: readonly number[], fieldsOf: FieldsOf, key: string | null = null) => {
    setHistory((held) => step(held, edited(held.now, known(ids), fieldsOf), key))
    setErrors((held) => new Map([...held].filter(([id]) => !ids.includes(id))))
  }
  /** One field of some lanes; null empties a field, undefined leaves it as it was. */
  const set = (ids: readonly number[], field: Field, value: unknown, option?: Goods) => {
    if (option) goods.current.set(option.id, option)
    const key = isTyped(field) ? `${field}/${ids.join()}` : null
    const others = (_: ShownRoad, { [field]: __, ...rest }: Draft): Draft => {
      // another product brings its own prices
      if (field === 'productId') for (const own of ownOfGoods) delete rest[own as keyof typeof rest]
      return { ...rest, [field]: value }
    }
    apply(ids, others, key)
  }
  /** Settings of copied lanes one by one, from the first again when there are more lanes. */
  const paste = (ids: readonly number[], copied: readonly ShownRoad[]) => {
    for (const road of copied)
      if (road.productId !== null) goods.current.set(road.productId, goodsOf(road))
    apply(ids, (road, held) => {
      const source = copied[ids.indexOf(road.id) % copied.length] ?? road
      const { productId, price, retailPrice, roadCapacity, warnQty, restriction } = source
      const prices = productId === null ? {} : { price, retailPrice }
      return { ...held, productId, roadCapacity, warnQty, restriction, ...prices } as Draft
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

  const wrongIn = (id: number, fields: Draft): Errors | undefined => {
    const lane = toLane(base.get(id) as ShownRoad)
    const shape = LanePatch.omit({ id: true }).safeParse(fields)
    if (!shape.success)
      return Object.fromEntries(
        shape.error.issues.map(({ path, message }) => [String(path[0]), say(message, lang)]),
      )
    const product = productFor(lane, fields, goods.current)
    const after = merged(lane, { id, ...shape.data } as LanePatch, product)
    const wrong = laneRule(lane, after, product, plan.device)
    return wrong ? { [wrong.field]: say(wrong.def.text, lang) } : undefined
  }
  const check = () =>
    [...live].flatMap(([id, { fields }]): [number, Errors][] => {
      const wrong = wrongIn(id, fields)
      return wrong ? [[id, wrong]] : []
    })
  /** What somebody else made of the fields that a save would overwrite: `03 售价 ¥3.00`. */
  const theirs = [...overwritten].map(([id, fields]) => {
    const road = base.get(id) as ShownRoad
    const value = (field: Field) => {
      if (field === 'productId') return road.productName ?? '—'
      if (field === 'status') return t(`enums.status.${road.status}`)
      const now = road[field]
      return field !== 'price' && field !== 'retailPrice' ? now : now === null ? '—' : yuan(now)
    }
    const said = fields.map((field) => `${t(`fields.${field}`)} ${value(field)}`)
    return `${roadText(road)} ${said.join(' ')}`
  })
  const save = async () => {
    const found = check()
    setErrors(new Map(found))
    if (found.length > 0 || live.size === 0 || write.isPending) return
    const question = {
      title: t('overwriteAsk', { n: theirs.length }),
      content: t('overwriteTheirs', { list: theirs.slice(0, 20).join('；') }),
      ok: t('overwrite'),
    }
    if (theirs.length > 0 && !(await confirm(question))) return
    const patches = [...live].map(([id, { fields }]) => ({ id, ...fields }) as LanePatch)
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

function productFor(
  lane: ShownRoad,
  draft: Draft,
  goods: ReadonlyMap<number, Goods>,
): Product | null {
  // without the right to see costs the server alone checks them
  const priced = (known: Goods) => ({ ...known, costPrice: known.costPrice ?? 0 })
  const { productId = lane.productId } = draft
  if (productId === null) return null
  if (productId === lane.productId) return priced(goodsOf(lane))
  const known = goods.get(productId)
  return known ? priced(known) : null
}

/** The lane as it will be once its draft is saved. */
function preview(road: ShownRoad, draft: Draft, goods: ReadonlyMap<number, Goods>): ShownRoad {
  const given = Object.entries(draft).filter(
    ([key, value]) => value !== null || key === 'productId',
  )
  const patch = { ...Object.fromEntries(given), id: road.id }
  const after = merged(toLane(road), patch, productFor(road, draft, goods))
  const known = after.productId === null ? undefined : goods.get(after.productId)
  return {
    ...after,
    productName: known?.name ?? null,
    productImg: known?.img ?? null,
    model: known?.model ?? null,
    drugClass: known?.drugClass ?? null,
    costPrice: known?.costPrice ?? null,
    roadCapacity: after.capacity,
    view: laneView(after),
    draft: true,
  }
}
