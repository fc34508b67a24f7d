import { useTranslation } from 'react-i18next'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import type { CommandRow, commandStates } from '../contract.ts'

export type State = (typeof commandStates)[number]
const tones: Record<State, Tone> = {
  WAITING: 'locked',
  SENT: 'paid',
  ACKED: 'shipped',
  DONE: 'success',
  FAILED: 'fault',
  EXPIRED: 'fault',
}
export const isOver = (state: State): boolean =>
  state === 'DONE' || state === 'FAILED' || state === 'EXPIRED'

/** How far a command has come, with the machine's or the platform's reason. */
export function CommandState({ command }: { command: Pick<CommandRow, 'state' | 'reason'> }) {
  const { t } = useTranslation('deviceCommands')
  const reason = command.reason
    ? t(`enums.reason.${command.reason}`, { defaultValue: command.reason })
    : ''
  return (
    <StatusTag tone={tones[command.state]} note={reason || null}>
      {t(`enums.state.${command.state}`)}
    </StatusTag>
  )
}
