import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { useConfirm } from '../../../web/confirm.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import type { ChannelRow } from '../channelContract.ts'
import { alerts } from '../contract.ts'
import styles from './rules.module.css'
import { failureWord, lastTones } from './tones.ts'

const ChannelDialog = lazyDialog(() => import('./ChannelDialog.tsx').then((m) => m.ChannelDialog))
const MailDialog = lazyDialog(() => import('./MailDialog.tsx').then((m) => m.MailDialog))

export function Channels({ list }: { list: readonly ChannelRow[] }) {
  const { t } = useTranslation('alerts')
  const may = useMay()('alarm-rule:update')
  const mail = useRead(alerts.mailServer, {}, { inline: true })
  const [edited, setEdited] = useState<ChannelRow | 'new' | null>(null)
  const [server, setServer] = useState(false)
  const found = mail.data
  return (
    <section className={`hd-sheet ${styles.sheet}`} aria-label={t('channel.title')}>
      <div className={styles.bar}>
        <h2>{t('channel.title')}</h2>
        {may ? (
          <Button type="primary" icon={<PlusOutlined />} onClick={() => setEdited('new')}>
            {t('channel.add')}
          </Button>
        ) : null}
      </div>
      <ul className={styles.lines}>
        {list.map((channel) => (
          <Line key={channel.id} channel={channel} onEdit={() => setEdited(channel)} />
        ))}
        <li>
          <div className={styles.what}>
            <strong>{t('channel.mail')}</strong>
            <small>
              {found === undefined
                ? null
                : found.source === 'OWN'
                  ? t('channel.mailOwn', { host: found.host, port: found.port })
                  : t(found.source === 'ABOVE' ? 'channel.mailAbove' : 'channel.mailNone')}
            </small>
          </div>
          <span />
          <span />
          {may && found ? (
            <Button type="link" onClick={() => setServer(true)}>
              {t('channel.edit')}
            </Button>
          ) : null}
        </li>
      </ul>
      {edited ? (
        <ChannelDialog
          row={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(null)}
        />
      ) : null}
      {server && found ? <MailDialog server={found} onClose={() => setServer(false)} /> : null}
    </section>
  )
}

function Line({ channel, onEdit }: { channel: ChannelRow; onEdit: () => void }) {
  const { t } = useTranslation('alerts')
  const confirm = useConfirm()
  const test = useWrite(alerts.testChannel, {
    success: 'alerts:success.testChannel',
    invalidates: [alerts.channels.path],
  })
  const remove = useWrite(alerts.removeChannel, {
    success: 'alerts:success.removeChannel',
    invalidates: [alerts.channels.path, alerts.rules.path],
  })
  const where =
    channel.type === 'IN_APP'
      ? t('channel.inApp')
      : channel.type === 'WEBHOOK'
        ? channel.url
        : channel.recipients.join(', ')
  const askRemove = async () => {
    if (await confirm({ title: t('channel.removeAsk'), content: channel.name, danger: true }))
      remove.mutate({ id: channel.id, version: channel.version })
  }
  const askTest = async () => {
    if (await confirm({ title: t('channel.testAsk'), content: channel.name }))
      test.mutate({ id: channel.id })
  }
  return (
    <li data-off={!channel.enabled}>
      <div className={styles.what}>
        <strong>{channel.type === 'IN_APP' ? t('enums.type.IN_APP') : channel.name}</strong>
        <small>
          {channel.type === 'IN_APP' ? where : `${t(`enums.type.${channel.type}`)} · ${where}`}
        </small>
        {channel.quietFrom ? (
          <small>
            {t('channel.quiet', { from: channel.quietFrom, to: channel.quietTo ?? '' })}
          </small>
        ) : null}
      </div>
      <span>
        {channel.enabled ? null : <StatusTag tone="locked">{t('channel.off')}</StatusTag>}
      </span>
      <span className={styles.told}>
        {channel.lastState && channel.lastTime ? (
          <StatusTag tone={lastTones[channel.lastState]}>
            {t(`enums.lastState.${channel.lastState}`)} <Time at={channel.lastTime} />
          </StatusTag>
        ) : (
          <span className={styles.quiet}>{t('channel.never')}</span>
        )}
        {channel.lastReason ? <small>{failureWord(t, channel.lastReason)}</small> : null}
        {channel.waiting ? <small>{t('channel.waiting', { n: channel.waiting })}</small> : null}
      </span>
      {channel.can.update ? (
        <span className={styles.acts}>
          <Button type="link" onClick={() => void askTest()}>
            {t('channel.test')}
          </Button>
          <Button type="link" onClick={onEdit}>
            {t('channel.edit')}
          </Button>
          {channel.can.delete ? (
            <Button type="link" danger onClick={() => void askRemove()}>
              {t('channel.remove')}
            </Button>
          ) : null}
        </span>
      ) : null}
    </li>
  )
}
