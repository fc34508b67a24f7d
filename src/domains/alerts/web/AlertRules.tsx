import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Bones, Problem } from '../../../web/Problem.tsx'
import { Mark, StatusTag } from '../../../web/StatusTag.tsx'
import { useMay } from '../../../web/session.ts'
import { alerts, type RuleRow } from '../contract.ts'
import { Channels } from './Channels.tsx'
import styles from './rules.module.css'
import { levelTones } from './tones.ts'

const RuleDialog = lazyDialog(() => import('./RuleDialog.tsx').then((m) => m.RuleDialog))

/** What opens an alert in the own organisation, and where it is told. */
export function AlertRules() {
  const { t } = useTranslation(['alerts', 'web'])
  const may = useMay()
  const rules = useRead(alerts.rules, {}, { inline: true })
  const channels = useRead(alerts.channels, {}, { inline: true })
  useLive('alert-rules', [alerts.rules.path])
  useLive('alert-channels', [alerts.channels.path])
  const [edited, setEdited] = useState<RuleRow | null>(null)
  const names = new Map(
    (channels.data?.list ?? []).map((channel) => [
      channel.id,
      channel.type === 'IN_APP' ? t('enums.type.IN_APP') : channel.name,
    ]),
  )
  const waits = (rule: RuleRow) => {
    const n = rule.threshold ?? rule.usual
    return rule.unit === null || n === null ? t('rule.atOnce') : t(`rule.${rule.unit}`, { n })
  }
  const told = (rule: RuleRow) =>
    rule.channelIds === null
      ? t('rule.all')
      : rule.channelIds.flatMap((id) => names.get(id) ?? []).join(', ') || (
          <span className="hd-none">—</span>
        )
  const failed = rules.error ?? channels.error
  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <h1>{t('rulesTitle')}</h1>
        <span className={styles.links}>
          {may('alarm:read') ? <Link to="/device/alerts">{t('title')}</Link> : null}
          {may('device:read') ? <Link to="/device/device-list">{t('toDevices')}</Link> : null}
        </span>
      </header>
      {failed ? (
        <Problem
          error={failed}
          onRetry={() => void Promise.all([rules.refetch(), channels.refetch()])}
        />
      ) : null}
      <section className={`hd-sheet ${styles.sheet}`} aria-label={t('rulesTitle')}>
        <p className={styles.hint}>{t('rule.hint')}</p>
        {rules.isPending ? <Bones rows={9} /> : null}
        <ul className={styles.lines}>
          {(rules.data?.list ?? []).map((rule) => (
            <li key={rule.kind} data-off={!rule.enabled}>
              <div className={styles.what}>
                <strong>
                  <Mark tone={rule.enabled ? levelTones[rule.level] : 'closed'} />{' '}
                  {t(`enums.kind.${rule.kind}`)}
                </strong>
                <small>{t(`rule.help.${rule.kind}`)}</small>
              </div>
              <span>
                {rule.enabled ? waits(rule) : <StatusTag tone="locked">{t('rule.off')}</StatusTag>}
              </span>
              <span className={styles.told}>{rule.enabled ? told(rule) : null}</span>
              {may('alarm-rule:update') ? (
                <Button type="link" onClick={() => setEdited(rule)}>
                  {t('rule.edit')}
                </Button>
              ) : null}
            </li>
          ))}
        </ul>
      </section>
      {channels.data ? <Channels list={channels.data.list} /> : null}
      {edited ? (
        <RuleDialog
          rule={edited}
          channels={channels.data?.list ?? []}
          onClose={() => setEdited(null)}
        />
      ) : null}
    </div>
  )
}
