import { useMemo } from 'react'
import type { Values } from './values.ts'

type Kept = { readonly start: string; readonly values: Values }

/**
 * What was typed into a form and not saved, in this browser. It is worth something only over the
 * record that it was typed over.
 */
export function useKept(name: string | undefined) {
  return useMemo(() => {
    const key = name === undefined ? null : `hd-form:${name}`
    const drop = () => {
      if (key) localStorage.removeItem(key)
    }
    return {
      drop,
      read(start: string): Values | null {
        const text = key && localStorage.getItem(key)
        if (!text) return null
        try {
          const kept = JSON.parse(text) as Kept
          if (kept.start === start) return kept.values
        } catch {}
        drop()
        return null
      },
      write(start: string, values: Values): void {
        try {
          if (key) localStorage.setItem(key, JSON.stringify({ start, values } satisfies Kept))
        } catch {
          // a full store keeps nothing; saving works as ever
        }
      },
    }
  }, [name])
}
