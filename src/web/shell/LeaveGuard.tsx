import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocker } from 'react-router'
import { useConfirm } from '../confirm.tsx'
import { isDirty, setDirty } from './tabs.ts'

/** With tabs a form keeps its state when another page is opened; on a phone there are none, so leaving asks. */
export function LeaveGuard({ phone }: { phone: boolean }) {
  const { t } = useTranslation('web')
  const confirm = useConfirm()
  const blocker = useBlocker(({ currentLocation, nextLocation }) => phone && currentLocation.pathname !== nextLocation.pathname && isDirty(currentLocation.pathname))
  // biome-ignore lint/correctness/useExhaustiveDependencies: asks once per blocked navigation
  useEffect(() => {
    if (blocker.state !== 'blocked') return
    void confirm({ title: t('shell.closeDirty'), ok: t('shell.leave'), cancel: t('shell.stay') }).then((yes) => {
      if (!yes) return blocker.reset()
      setDirty(location.pathname, false)
      blocker.proceed()
    })
  }, [blocker.state])
  return null
}
