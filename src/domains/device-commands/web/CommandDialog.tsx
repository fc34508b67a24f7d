import { Button, Flex } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { useLive } from '../../../web/live.ts'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { Time } from '../../../web/Time.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { type CommandRow, deviceCommands } from '../contract.ts'
import { CommandState, isOver } from './CommandState.tsx'
import { Progress } from './Progress.tsx'

/** One command, from sending to its end. Closing only stops looking; the timeline keeps it. */
export function CommandDialog({ command, onClose }: { command: CommandRow; onClose: () => void }) {
  const { t } = useTranslation('deviceCommands')
  const read = useRead(
    deviceCommands.get,
    { cmdId: command.cmdId },
    { inline: true, keep: true, every: 2000 },
  )
  useLive('commands', [deviceCommands.get.path])
  const active = useActiveTab()
  const now = read.data ?? command
  if (!active) return null
  const good = now.state === 'DONE'
  return (
    <Modal
      open
      width={440}
      title={`${t(`enums.type.${now.type}`)} ${now.rtuNumber}`}
      onCancel={onClose}
      mask={{ closable: false }}
      footer={<Button onClick={onClose}>{t('close')}</Button>}
    >
      <Progress
        end={good ? 'good' : isOver(now.state) ? 'bad' : null}
        steps={[
          { label: t('enums.state.SENT'), at: now.sentAt },
          { label: t('enums.state.ACKED'), at: now.ackedAt },
          {
            label: t(isOver(now.state) && !good ? `enums.state.${now.state}` : 'enums.state.DONE'),
            at: now.finishedAt,
          },
        ]}
      />
      <Flex wrap align="center" gap="4px 16px" role="status">
        <CommandState command={now} />
        <Muted>
          {now.issuedBy} <Time at={now.issuedAt} style="full" />
        </Muted>
      </Flex>
    </Modal>
  )
}
