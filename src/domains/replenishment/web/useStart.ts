import { useNavigate } from 'react-router'
import { useWrite } from '../../../web/api.ts'
import { newKey } from '../../../web/call.ts'
import { useUser } from '../../../web/session.ts'
import { useNarrow } from '../../../web/shell/useWidth.ts'
import { replenishment } from '../contract.ts'

type Machine = {
  readonly id: number
  readonly rtuNumber: string
  readonly nickname: string
  /** The own visit that was begun. */
  readonly draftId: number | null
}

/**
 * Begins a visit, or goes on with it: at a desk on the server, on a phone in the phone, which tells
 * the server when it can.
 */
export function useStart(): (machine: Machine) => void {
  const navigate = useNavigate()
  const narrow = useNarrow()
  const user = useUser()
  const start = useWrite(replenishment.start, {
    invalidates: ['/api/replenishment-tasks', '/api/replenishment-visits', '/api/my-routes'],
    onSuccess: ({ id }) => void navigate(`/stock/replenish/visit/${id}`),
  })
  return ({ id: deviceId, draftId, ...machine }) => {
    if (!narrow) return start.mutate({ deviceId, clientId: newKey() })
    const begin = async () => {
      const { beginHere } = await import('./phone/begin.ts')
      // what was begun at a desk goes on there
      const key = await beginHere(user.id, { deviceId, ...machine }, draftId !== null)
      void navigate(`/stock/replenish/visit/${key ?? draftId}`)
    }
    void begin()
  }
}
