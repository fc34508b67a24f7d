import { useMemo, useRef, useState } from 'react'
import { say } from '../../../shared/text.ts'
import { useWrite } from '../../../web/api.ts'
import { usePrefs } from '../../../web/prefs.ts'
import { LanePatch, lanes, type Planogram } from '../contract.ts'
import { laneRule, laneView, merged, type Product } from '../rules.ts'
import { type Goods, goodsOf, productOf, type ShownRoad, toLane } from './shown.ts'

export type Draft = Omit<{ [K in keyof LanePatch]?: LanePatch[K] | null }, 'id'>
export type Field = keyof Draft
export type Errors = Partial<Record<string, string>>
type Drafts = ReadonlyMap<number, Draft>
/** Settings of a lane on their way to others. */
export type Clip = Pick<ShownRoad, 'productId' | 'price' | 'retailPrice' | 'roadCapacity' | 'warnQty' | 'restriction'>

/** What was changed and not saved yet, lane by lane; the rules that judge it run again in the verb. */
export function useDrafts(plan: Planogram, roads: readonly ShownRoad[], onStale: () => void) {
  const { lang } = usePrefs()
  const [drafts, setDrafts] = useState<Drafts>(new Map())
  const [errors, setErrors] = useState<ReadonlyMap<number, Errors>>(new Map())
  const past = useRef<Drafts[]>([])
  const goods = useRef(new Map<number, Goods>())
  /** The version our last save made: what Ctrl Z takes back when nothing is unsaved. */
  const [lastSave, setLastSave] = useState<number | null>(null)
  const write = useWrite(lanes.update, { success: 'lanes:success.update', claims: (error) => error.errors.length > 0 })
  for (const road of roads) if (road.productId !== null && !goods.current.has(road.productId)) goods.current.set(road.productId, goodsOf(road))

  const shown = useMemo(
    () =>
      roads.map((road) => {
        const draft = drafts.get(road.id)
        return draft ? preview(road, draft, goods.current) : road
      }),
    [roads, drafts],
  )

  const apply = (change: (held: Map<number, Draft>) => void) => {
    const next = new Map(drafts)
    change(next)
    for (const [id, draft] of next) if (Object.keys(draft).length === 0) next.delete(id)
    past.current = [...past.current, drafts].slice(-50)
    setDrafts(next)
    setErrors((held) => new Map([...held].filter(([id]) => next.get(id) === drafts.get(id) && next.has(id))))
  }
  const base = new Map(roads.map((road) => [road.id, road]))
  /** One field of some lanes; null empties a field, undefined leaves it as it was. */
  const set = (ids: readonly number[], field: Field, value: unknown, option?: Goods) => {
    if (option) goods.current.set(option.id, option)
    apply((next) => {
      for (const id of ids) {
        const { [field]: _, ...rest } = (next.get(id) ?? {}) as Draft
        // another product brings its own prices
        if (field === 'productId') for (const key of ['price', 'retailPrice', 'warnQty'] as const) delete (rest as Draft)[key]
        const road = base.get(id)
        next.set(id, value === undefined || (road && value === road[field as keyof ShownRoad]) ? rest : { ...rest, [field]: value })
      }
    })
  }
  /** One clip for every lane, or several for as many lanes. */
  const paste = (ids: readonly number[], clips: readonly Clip[]) =>
    apply((next) => {
      for (const [index, id] of ids.entries()) {
        const clip = clips.length === 1 ? clips[0] : clips[index]
        const road = base.get(id)
        if (!clip || !road) continue
        const { price, retailPrice, ...rest } = clip
        const wanted = { ...rest, ...(clip.productId === null ? {} : { price, retailPrice }) }
        next.set(id, Object.fromEntries(Object.entries(wanted).filter(([key, value]) => value !== road[key as keyof ShownRoad])) as Draft)
      }
    })
  const reset = () => {
    past.current = []
    setDrafts(new Map())
    setErrors(new Map())
  }
  const back = () => {
    const before = past.current.pop()
    if (before) setDrafts(before)
    setErrors(new Map())
  }

  const check = (): Map<number, Errors> => {
    const found = new Map<number, Errors>()
    for (const [id, draft] of drafts) {
      const road = base.get(id)
      if (!road) continue
      const shape = LanePatch.omit({ id: true }).safeParse(draft)
      if (!shape.success) {
        found.set(id, Object.fromEntries(shape.error.issues.map((issue) => [String(issue.path[0]), say(issue.message, lang)])))
        continue
      }
      const product = productFor(road, draft, goods.current)
      const wrong = laneRule(toLane(road), merged(toLane(road), { id, ...shape.data } as LanePatch, product), product, plan.device)
      if (wrong) found.set(id, { [wrong.field]: say(wrong.def.text, lang) })
    }
    return found
  }
  const save = () => {
    const found = check()
    setErrors(found)
    if (found.size > 0 || drafts.size === 0 || write.isPending) return
    const patches = [...drafts].filter(([id]) => base.has(id)).map(([id, draft]) => ({ id, ...(draft as Omit<LanePatch, 'id'>) }))
    write.mutate(
      { deviceId: plan.device.id, version: plan.version, lanes: patches },
      {
        onSuccess: (answer) => {
          setLastSave(answer.version)
          reset()
        },
        onError: (error) => {
          // `lanes.3.price`: the third patch; what names no lane belongs to the first
          const named = error.errors.map(({ field, message }) => {
            const [, index = '0', key = field] = field.split('.')
            return [patches[Number(index)]?.id ?? patches[0]?.id ?? 0, { [key]: message }] as const
          })
          setErrors(new Map(named))
          if (error.code === 409001) onStale()
        },
      },
    )
  }
  return {
    drafts,
    errors,
    shown,
    set,
    paste,
    back,
    reset,
    save,
    setLastSave,
    /** True while the last save of this page is also the newest of the machine. */
    canUndo: lastSave !== null && lastSave === plan.version,
    dirty: drafts.size > 0,
    busy: write.isPending,
  }
}

function productFor(road: ShownRoad, draft: Draft, goods: ReadonlyMap<number, Goods>): Product | null {
  if (draft.productId === undefined || draft.productId === road.productId) return productOf(road)
  const known = draft.productId === null ? undefined : goods.get(draft.productId)
  return known ? { ...known, costPrice: known.costPrice ?? 0 } : null
}

/** The lane as it will be once its draft is saved. */
function preview(road: ShownRoad, draft: Draft, goods: ReadonlyMap<number, Goods>): ShownRoad {
  const given = Object.fromEntries(Object.entries(draft).filter(([key, value]) => value !== null || key === 'productId'))
  const after = merged(toLane(road), { id: road.id, ...given } as LanePatch, productFor(road, draft, goods))
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
