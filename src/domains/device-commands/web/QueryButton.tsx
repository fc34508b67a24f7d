import ReloadOutlined from '@ant-design/icons/es/icons/ReloadOutlined'
import { Button, Flex } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { queryClient, useRead, useWrite } from '../../../web/api.ts'
import { useLive } from '../../../web/live.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import { deviceCommands } from '../contract.ts'
import { isOver } from './CommandState.tsx'

/**
 * Asks the machine itself: the page shows what it answers, or that it does not within ten seconds.
 */
export function QueryButton({ id, online }: { id: number; online: boolean }) {
  const { t } = useTranslation('deviceCommands')
  const [cmdId, setCmdId] = useState<string | null>(null)
  const [said, setSaid] = useState<'refreshed' | 'noAnswer' | null>(null)
  const ask = useWrite(deviceCommands.query, { onSuccess: (command) => setCmdId(command.cmdId) })
  const watch = useRead(
    deviceCommands.get,
    { cmdId: cmdId ?? '' },
    { enabled: cmdId !== null, inline: true, every: 1000 },
  )
  useLive('commands', [deviceCommands.get.path])
  const state = watch.data?.state
  useEffect(() => {
    if (cmdId === null || !state || !isOver(state)) return
    setSaid(state === 'DONE' ? 'refreshed' : 'noAnswer')
    setCmdId(null)
    void queryClient.invalidateQueries({
      predicate: ({ queryKey: [path] }) => String(path).startsWith('/api/devices'),
    })
  }, [cmdId, state])
  return (
    <Flex align="center" gap={8}>
      <Tooltip title={t(online ? 'refreshHint' : 'offlineHint')}>
        <span>
          <Button
            size="small"
            icon={<ReloadOutlined />}
            loading={ask.isPending || cmdId !== null}
            disabled={!online}
            onClick={() => {
              setSaid(null)
              ask.mutate({ id })
            }}
          >
            {t('refresh')}
          </Button>
        </span>
      </Tooltip>
      {said ? (
        <span role="status">
          <StatusTag tone={said === 'noAnswer' ? 'fault' : 'online'}>{t(said)}</StatusTag>
        </span>
      ) : null}
    </Flex>
  )
}
