import { Button } from 'antd'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { mayLoseChanges } from '../../../web/confirm.tsx'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { useLive } from '../../../web/live.ts'
import { Problem, Skeleton } from '../../../web/Problem.tsx'
import { useMay, useUser } from '../../../web/session.ts'
import { useDirty } from '../../../web/shell/tabs.ts'
import { PageHead } from '../../../web/ui/Sheet.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { useAct } from '../../../web/useAct.ts'
import { accounts } from '../../accounts/contract.ts'
import { type SettingRow, type Settings, settings } from '../contract.ts'
import { sections } from '../kinds.ts'
import { type SettingKey, settingOfKey } from '../registry.ts'
import { FixedLimits } from './FixedLimits.tsx'
import { SettingLine } from './SettingLine.tsx'
import styles from './settings.module.css'
import { changesOf, problemOf, useDrafts } from './useDrafts.ts'

const ReviewDialog = lazyDialog(() => import('./ReviewDialog.tsx').then((m) => m.ReviewDialog))
const HistoryDrawer = lazyDialog(() => import('./HistoryDrawer.tsx').then((m) => m.HistoryDrawer))

/** Settings of one organisation: groups on the left, rows on the right, changes saved together. */
export function SystemSettings() {
  const { t } = useTranslation('settings')
  const user = useUser()
  const [orgId, setOrgId] = useState(user.orgId)
  const [review, setReview] = useState(false)
  const [history, setHistory] = useState<SettingKey | null>(null)
  const { drafts, edit, clear } = useDrafts()
  useDirty(drafts.size > 0)
  useLive('settings', [settings.list.path])
  const read = useRead(settings.list, { orgId }, { inline: true, keep: true })
  const reset = useAct(settings.reset, {
    ask: t('inheritAsk'),
    danger: false,
    success: 'settings:success.reset',
  })
  const rows = read.data?.list ?? []
  const choose = async (next: number) => {
    if (drafts.size > 0 && !(await mayLoseChanges())) return
    clear()
    setOrgId(next)
  }
  const wrong = [...drafts].some(([key, draft]) => problemOf(key, draft) !== null)
  return (
    <div className={styles.page}>
      <Head orgId={orgId} onOrg={(next) => void choose(next)} />
      {read.error ? <Problem error={read.error} onRetry={() => void read.refetch()} /> : null}
      {read.isPending ? (
        <section className="hd-sheet" style={{ padding: 24 }}>
          <Skeleton rows={10} />
        </section>
      ) : null}
      {read.data ? (
        <Body answer={read.data}>
          {(row) => (
            <SettingLine
              key={`${orgId} ${row.key}`}
              row={row}
              draft={drafts.get(row.key)}
              ofPlatform={orgId === 1}
              onEdit={(change) => edit(row, change)}
              onReset={() => void reset(row, { orgId })}
              onHistory={() => setHistory(row.key)}
            />
          )}
        </Body>
      ) : null}
      {drafts.size > 0 ? (
        <footer className={styles.bar}>
          <span>{t('changed', { n: drafts.size })}</span>
          <Button onClick={clear}>{t('discard')}</Button>
          <Button type="primary" disabled={wrong} onClick={() => setReview(true)}>
            {t('review')}
          </Button>
        </footer>
      ) : null}
      {review ? (
        <ReviewDialog
          orgId={orgId}
          changes={changesOf(drafts, rows)}
          rows={rows}
          onClose={() => setReview(false)}
          onSaved={clear}
        />
      ) : null}
      {history ? (
        <HistoryDrawer settingKey={history} orgId={orgId} onClose={() => setHistory(null)} />
      ) : null}
    </div>
  )
}

function Head({ orgId, onOrg }: { orgId: number; onOrg: (orgId: number) => void }) {
  const { t } = useTranslation('settings')
  const may = useMay()
  const test = useWrite(settings.notifyTest, {
    success: 'settings:success.notifyTest',
    invalidates: ['/api/messages'],
  })
  const orgs = useRead(accounts.organisationOptions, {}, { staleTime: 60_000 }).data?.list ?? []
  return (
    <PageHead title={t('title')}>
      {orgs.length > 1 ? (
        <Select
          aria-label={t('org')}
          className={styles.org ?? ''}
          value={orgId}
          showSearch={{ optionFilterProp: 'label' }}
          popupMatchSelectWidth={false}
          options={orgs.map((org) => ({ value: org.id, label: org.name }))}
          onChange={onOrg}
        />
      ) : null}
      <Link to="/system/calendar">{t('pages.calendar')}</Link>
      <Link to="/system/dictionary">{t('pages.dictionary')}</Link>
      {may('server:read') ? <Link to="/system/server">{t('pages.server')}</Link> : null}
      {may('job-console:read') ? <Link to="/system/job-console">{t('pages.jobs')}</Link> : null}
      {may('setting:update') ? (
        <Button loading={test.isPending} onClick={() => test.mutate({})}>
          {t('notifyTest')}
        </Button>
      ) : null}
    </PageHead>
  )
}

/** All groups stand below each other; the names on the left lead to them. */
function Body({
  answer,
  children,
}: {
  answer: Settings
  children: (row: SettingRow) => React.ReactNode
}) {
  const { t } = useTranslation('settings')
  const parts = useRef(new Map<string, HTMLElement>())
  const groups = sections.filter((section) =>
    answer.list.some((row) => settingOfKey(row.key).section === section),
  )
  const [chosen, setChosen] = useState<string>(groups[0] ?? 'fixed')
  const go = (section: string) => {
    setChosen(section)
    parts.current.get(section)?.scrollIntoView({ block: 'start' })
  }
  const part = (section: string, content: React.ReactNode) => (
    <section
      key={section}
      className={styles.part}
      aria-label={t(`section.${section}`)}
      ref={(node) => {
        if (node) parts.current.set(section, node)
      }}
    >
      <h2>{t(`section.${section}`)}</h2>
      {content}
    </section>
  )
  return (
    <div className={`hd-sheet ${styles.body}`}>
      <nav className={styles.groups} aria-label={t('sections')}>
        {[...groups, 'fixed' as const].map((section) => (
          <button
            key={section}
            type="button"
            className={styles.group}
            aria-current={section === chosen ? 'true' : undefined}
            onClick={() => go(section)}
          >
            {t(`section.${section}`)}
          </button>
        ))}
      </nav>
      <div className={styles.parts}>
        {groups.map((section) =>
          part(
            section,
            <ul className={styles.lines}>
              {answer.list.filter((row) => settingOfKey(row.key).section === section).map(children)}
            </ul>,
          ),
        )}
        {part('fixed', <FixedLimits fixed={answer.fixed} />)}
      </div>
    </div>
  )
}
