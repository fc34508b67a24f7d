import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Lines, Sheet } from '../../../web/ui/Sheet.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { useAct } from '../../../web/useAct.ts'
import type { ChannelRow } from '../channelContract.ts'
import { alerts } from '../contract.ts'
import { failureWord, lastTones, ruleColumns } from './tones.ts'

const ChannelDialog = lazyDialog(() => import('./ChannelDialog.tsx').then((m) => m.ChannelDialog))
const MailDialog = lazyDialog(() => import('./MailDialog.tsx').then((m) => m.MailDialog))

export function Channels({ list }: { list: readonly ChannelRow[] }) {
  const { t } = useTranslation(['alerts', 'web'])
  const may = useMay()('alarm-rule:update')
  const mail = useRead(alerts.mailServer, {}, { inline: true })
  const [edited, setEdited] = useState<ChannelRow | 'new' | null>(null)
  const [server, setServer] = useState(false)
  const found = mail.data
  return (
    <Sheet
      title={t('channel.title')}
      end={
        may ? (
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
            {t('channel.add')}
          </Button>
        ) : null
      }
    >
      <Lines columns={ruleColumns}>
        {list.map((channel) => (
          <Line key={channel.id} channel={channel} onEdit={() => setEdited(channel)} />
        ))}
        <li>
          <Flex vertical>
            <strong>{t('channel.mail')}</strong>
            <Muted small>
              {found === undefined
                ? null
                : found.source === 'OWN'
                  ? t('channel.mailOwn', { host: found.host, port: found.port })
                  : t(found.source === 'ABOVE' ? 'channel.mailAbove' : 'channel.mailNone')}
            </Muted>
          </Flex>
          <span />
          <span />
          {may && found ? (
            <Flex justify="end">
              <Button type="link" onClick={() => setServer(true)}>
                {t('web:action.edit')}
              </Button>
            </Flex>
          ) : null}
        </li>
      </Lines>
      {edited ? (
        <ChannelDialog
          row={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      ) : null}
      {server && found ? <MailDialog server={found} onClose={() => setServer(false)} /> : null}
    </Sheet>
  )
}

function Line({ channel, onEdit }: { channel: ChannelRow; onEdit: () => void }) {
  const { t } = useTranslation(['alerts', 'web'])
  const name = (row: ChannelRow) => row.name
  const test = useAct(alerts.testChannel, {
    ask: t('channel.testAsk'),
    ok: t('channel.test'),
    name,
    danger: false,
    success: 'alerts:success.testChannel',
    invalidates: [alerts.channels.path],
  })
  const remove = useAct(alerts.removeChannel, {
    ask: t('channel.removeAsk'),
    ok: t('web:action.delete'),
    name,
    success: 'web:success.removed',
    invalidates: [alerts.channels.path, alerts.rules.path],
  })
  const inApp = channel.type === 'IN_APP'
  const where = channel.type === 'WEBHOOK' ? channel.url : channel.recipients.join(', ')
  return (
    <li>
      <Flex vertical>
        <strong>{inApp ? t('enums.type.IN_APP') : channel.name}</strong>
        <Muted small>
          {inApp ? t('channel.inApp') : `${t(`enums.type.${channel.type}`)} · ${where}`}
        </Muted>
        {channel.unconfirmed.length ? (
          <Muted small>{t('channel.unconfirmed', { list: channel.unconfirmed.join(', ') })}</Muted>
        ) : null}
        {channel.quietFrom ? (
          <Muted small>
            {t('channel.quiet', { from: channel.quietFrom, to: channel.quietTo ?? '' })}
          </Muted>
        ) : null}
      </Flex>
      <span>
        {channel.enabled ? null : <StatusTag tone="locked">{t('channel.off')}</StatusTag>}
      </span>
      <Flex vertical>
        {channel.lastState && channel.lastTime ? (
          <StatusTag tone={lastTones[channel.lastState]}>
            {t(`enums.lastState.${channel.lastState}`)} <Time at={channel.lastTime} />
          </StatusTag>
        ) : (
          <Muted>{t('channel.never')}</Muted>
        )}
        {channel.lastReason ? <Muted small>{failureWord(t, channel.lastReason)}</Muted> : null}
        {channel.waiting ? (
          <Muted small>{t('channel.waiting', { n: channel.waiting })}</Muted>
        ) : null}
      </Flex>
      {channel.can.update ? (
        <Flex wrap justify="end">
          <Button type="link" onClick={() => void test(channel)}>
            {t('channel.test')}
          </Button>
          <Button type="link" onClick={onEdit}>
            {t('web:action.edit')}
          </Button>
          {channel.can.delete ? (
            <Button type="link" danger onClick={() => void remove(channel)}>
              {t('web:action.delete')}
            </Button>
          ) : null}
        </Flex>
      ) : null}
    </li>
  )
}
