import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import type { CommandRow, commandTypes } from '../contract.ts'
import { deviceCommands } from '../contract.ts'
import { CommandDialog } from './CommandDialog.tsx'

export type Told = Exclude<(typeof commandTypes)[number], 'QUERY'>
type Machine = { readonly id: number; readonly rtuNumber: string }
const asks = { REBOOT: 'rebootAsk', LOCK: 'lockAsk', UNLOCK: 'unlockAsk', DOOR: 'doorAsk' } as const

/**
 * Asks, tells the machine, and shows what becomes of it: `tell('REBOOT', row)`, and `dialog`
 * somewhere in the page; `onEnd` when it is over.
 */
export function useCommands(onEnd?: () => void): {
  tell: (type: Told, machine: Machine) => Promise<void>
  dialog: ReactNode
} {
  const { t } = useTranslation('deviceCommands')
  const confirm = useConfirm()
  const [watched, setWatched] = useState<CommandRow | null>(null)
  const options = { invalidates: ['/api/devices'], onSuccess: setWatched }
  const failed = { onError: () => onEnd?.() }
  const writes = {
    REBOOT: useWrite(deviceCommands.reboot, {
      ...options,
      success: 'deviceCommands:success.reboot',
    }),
    LOCK: useWrite(deviceCommands.lock, { ...options, success: 'deviceCommands:success.lock' }),
    UNLOCK: useWrite(deviceCommands.unlock, {
      ...options,
      success: 'deviceCommands:success.unlock',
    }),
    DOOR: useWrite(deviceCommands.openDoor, {
      ...options,
      success: 'deviceCommands:success.openDoor',
    }),
  }
  return {
    async tell(type, { id, rtuNumber }) {
      const title = `${t(`enums.type.${type}`)} ${rtuNumber}`
      if (
        await confirm({
          title,
          content: t(asks[type]),
          ok: t(`enums.type.${type}`),
          danger: type !== 'UNLOCK',
        })
      )
        writes[type].mutate({ id }, failed)
      else onEnd?.()
    },
    dialog: watched ? (
      <CommandDialog
        command={watched}
        onClose={() => {
          setWatched(null)
          onEnd?.()
        }}
      />
    ) : null,
  }
}
