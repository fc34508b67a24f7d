import { useEffect } from 'react'
import { basePath } from '../base.ts'
import { mayLoseChanges } from '../confirm.tsx'
import { guardLeaving } from '../history.tsx'
import { isDirty, setDirty } from './tabs.ts'

/**
 * With tabs a form keeps its state when another page is opened; on a phone there are none, so
 * leaving asks.
 */
export function LeaveGuard({ phone }: { phone: boolean }) {
  useEffect(() => {
    if (!phone) return
    let left = ''
    return guardLeaving({
      leaves: (from, to) => {
        left = from.slice(basePath().length - 1)
        return from !== to && isDirty(left)
      },
      ask: async () => {
        const yes = await mayLoseChanges()
        if (yes) setDirty(left, false)
        return yes
      },
    })
  }, [phone])
  return null
}
