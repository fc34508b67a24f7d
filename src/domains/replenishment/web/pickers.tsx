import { useEffect } from 'react'
import { useConfirm } from '../../../web/confirm.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { useNarrow } from '../../../web/shell/useWidth.ts'

/**
 * Draws nothing: on the phone of somebody who fills machines it keeps what works without the
 * network, and sends what waits. Nobody else loads it.
 */
export function Phone() {
  const user = useUser()
  const ask = useConfirm()
  const [may, narrow] = [useMay(), useNarrow()]
  const wanted = narrow && may('replenish:update') && user.view === null
  useEffect(() => {
    if (wanted)
      void import('./phone/start.ts').then(
        ({ startPhone }) => startPhone(user, ask),
        () => undefined,
      )
  }, [wanted, user, ask])
  return null
}
