import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { currentPath, href } from '../base.ts'
import { useConfirm } from '../confirm.tsx'
import { guardLeaving } from '../history.tsx'
import { isDirty, setDirty } from './tabs.ts'

/** With tabs a form keeps its state when another page is opened; on a phone there are none, so leaving asks. */
export function LeaveGuard({ phone }: { phone: boolean }) {
  const { t } = useTranslation('web')
  const confirm = useConfirm()
  useEffect(() => {
    if (!phone) return
    let path = currentPath()
    return guardLeaving({
      leaves: (to) => {
        path = currentPath()
        return to !== href(path) && isDirty(path)
      },
      ask: async () => {
        const yes = await confirm({ title: t('shell.closeDirty'), ok: t('shell.leave'), cancel: t('shell.stay') })
        if (yes) setDirty(path, false)
        return yes
      },
    })
  }, [phone, confirm, t])
  return null
}
