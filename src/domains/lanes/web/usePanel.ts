import { useState } from 'react'
import { say } from '../../../shared/text.ts'
import { useWrite } from '../../../web/api.ts'
import { usePrefs } from '../../../web/prefs.ts'
import type { ProductOption } from '../../products/contract.ts'
import { LanePatch, lanes, type Planogram } from '../contract.ts'
import { laneRule, merged, type Product } from '../rules.ts'
import { productOf, type ShownRoad, toLane } from './shown.ts'

export type Draft = Omit<{ [K in keyof LanePatch]?: LanePatch[K] | null }, 'id'>
export type Field = keyof Draft
type Errors = Partial<Record<string, string>>

/** What was typed for the selection, and what the rules say about it; the same rules run again in the verb. */
export function usePanel(plan: Planogram, chosen: readonly ShownRoad[], onStale: () => void) {
  const { lang } = usePrefs()
  const [draft, setDraft] = useState<Draft>({})
  const [picked, setPicked] = useState<ProductOption>()
  const [errors, setErrors] = useState<Errors>({})
  const write = useWrite(lanes.update, { success: 'lanes:success.update', claims: (error) => error.errors.length > 0 })
  const reset = () => {
    setDraft({})
    setErrors({})
    setPicked(undefined)
  }
  /** The value all chosen lanes share; undefined when they differ. */
  const common = <K extends keyof ShownRoad>(key: K): ShownRoad[K] | undefined =>
    chosen.every((road) => road[key] === chosen[0]?.[key]) ? chosen[0]?.[key] : undefined
  const set = (field: Field, value: unknown, option?: ProductOption) => {
    setErrors(({ [field]: _, ...rest }) => rest)
    setDraft((held) => {
      const { [field]: __, ...rest } = held
      // emptied where the lanes differ, or back to what they are: nothing to save
      if (value === undefined || (value === null && field !== 'productId' && common(shownKey(field)) === undefined) || value === common(shownKey(field)))
        return rest
      return { ...rest, [field]: value }
    })
    if (field === 'productId') setPicked(option)
  }
  const productFor = (road: ShownRoad): Product | null => {
    if (draft.productId === undefined || draft.productId === road.productId) return productOf(road)
    if (draft.productId === null || !picked) return null
    return {
      id: picked.id,
      drugClass: picked.drugClass,
      costPrice: picked.costPrice ?? 0,
      retailPrice: picked.retailPrice,
      warnQty: null,
      status: picked.status,
    }
  }
  const check = (): Errors => {
    const shape = LanePatch.omit({ id: true }).safeParse(draft)
    if (!shape.success) return Object.fromEntries(shape.error.issues.map((issue) => [String(issue.path[0]), say(issue.message, lang)]))
    for (const road of chosen) {
      const patch = { id: road.id, ...shape.data } as LanePatch
      const product = productFor(road)
      const found = laneRule(toLane(road), merged(toLane(road), patch, product), product, plan.device)
      if (found) return { [found.field]: say(found.def.text, lang) }
    }
    return {}
  }
  const save = () => {
    const found = check()
    setErrors(found)
    if (Object.keys(found).length > 0 || write.isPending) return
    const patch = draft as Omit<LanePatch, 'id'>
    write.mutate(
      { deviceId: plan.device.id, version: plan.version, lanes: chosen.map((road) => ({ id: road.id, ...patch })) },
      {
        onSuccess: reset,
        onError: (error) => {
          setErrors(Object.fromEntries(error.errors.map(({ field, message }) => [field.split('.').at(-1) ?? field, message])))
          if (error.code === 409001) onStale()
        },
      },
    )
  }
  return { draft, set, errors, common, save, reset, dirty: Object.keys(draft).length > 0, busy: write.isPending }
}

/** Fields of a patch carry the names of the lane. */
const shownKey = (field: Field) => field as keyof ShownRoad
