import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { basePath } from '../base.ts'
import { useConfirm } from '../confirm.tsx'
import { guardLeaving } from '../history.tsx'
import { isDirty, setDirty } from './tabs.ts'

/**
 * With tabs a form keeps its state when another page is opened; on a phone there are none, so
 * leaving asks.
 */
export function LeaveGuard({ phone }: { phone: boolean }) {
  const { t } = useTranslation('web')
  const confirm = useConfirm()
  useEffect(() => {
    if (!phone) return
    let left = ''
    return guardLeaving({
      leaves: (from, to) => {
        left = from.slice(basePath().length - 1)
        return from !== to && isDirty(left)
      },
      ask: async () => {
        const yes = await confirm({
          title: t('shell.closeDirty'),
          ok: t('shell.leave'),
          cancel: t('shell.stay'),
        })
        if (yes) setDirty(left, false)
        return yes
      },
    })
  }, [phone, confirm, t])
  return null
}
