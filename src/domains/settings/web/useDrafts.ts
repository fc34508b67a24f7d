import { useState } from 'react'
import type { SettingChange, SettingRow } from '../contract.ts'
import { type SettingKey, settingOfKey } from '../registry.ts'

export type Draft = { readonly value?: unknown; readonly locked?: boolean }
const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Changes are collected here and saved together; what equals the row again is no change. */
export function useDrafts() {
  const [drafts, setDrafts] = useState<ReadonlyMap<SettingKey, Draft>>(new Map())
  const edit = (row: SettingRow, change: Draft) =>
    setDrafts((held) => {
      const draft = { ...held.get(row.key), ...change }
      const kept: Draft = {
        ...('value' in draft && !same(draft.value, row.value) ? { value: draft.value } : {}),
        ...(draft.locked !== undefined && draft.locked !== row.locked
          ? { locked: draft.locked }
          : {}),
      }
      const next = new Map(held)
      if (Object.keys(kept).length) next.set(row.key, kept)
      else next.delete(row.key)
      return next
    })
  return { drafts, edit, clear: () => setDrafts(new Map()) }
}

/** Why the value cannot be saved, in both languages; null when it can. */
export const problemOf = (key: SettingKey, draft: Draft | undefined): string | null => {
  if (!draft || !('value' in draft)) return null
  const result = settingOfKey(key).shape.safeParse(draft.value)
  return result.success ? null : (result.error.issues[0]?.message ?? '')
}

export const changesOf = (
  drafts: ReadonlyMap<SettingKey, Draft>,
  rows: readonly SettingRow[],
): SettingChange[] =>
  rows.flatMap((row) => {
    const draft = drafts.get(row.key)
    return draft ? [{ key: row.key, version: row.version, ...draft }] : []
  })
