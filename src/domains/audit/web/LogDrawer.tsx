import { Button } from 'antd'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { Detail, Rows } from '../../../web/Detail.tsx'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { audit, type LogDetail } from '../contract.ts'
import styles from './audit.module.css'
import { Actor, Level, Target } from './cells.tsx'

const tones: Readonly<Record<LogDetail['result'], Tone>> = { SUCCESS: 'success', REFUSED: 'warn', FAILED: 'fault' }

/** The row named by `?detail=`: what changed, and what else the same request did. */
export function LogDrawer() {
  const { t } = useTranslation('audit')
  const navigate = useNavigate()
  const { pathname, search } = useLocation()
  const params = new URLSearchParams(search)
  const id = Number(params.get('detail') ?? 0)
  const open = Number.isSafeInteger(id) && id > 0
  const read = useRead(audit.get, { id }, { inline: true, enabled: open, keep: true })
  const row = read.data
  const show = (next: number | null) => {
    if (next === null) params.delete('detail')
    else params.set('detail', String(next))
    navigate(params.size ? `${pathname}?${params}` : pathname)
  }
  const list = (filter: Record<string, string>) => navigate(`${pathname}?${new URLSearchParams(filter)}`)
  return (
    <Detail
      open={open}
      onClose={() => show(null)}
      title={row?.actionName ?? ''}
      {...(row ? { status: <Level level={row.level} chip />, id: String(row.id) } : {})}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={
        row ? (
          <>
            {row.targetId ? <Button onClick={() => list({ targetId: row.targetId, module: row.module })}>{t('history')}</Button> : null}
            {row.username ? <Button onClick={() => list({ username: row.username })}>{t('historyOfUser')}</Button> : null}
          </>
        ) : null
      }
    >
      {row ? (
        <>
          <Basics row={row} />
          <Changes row={row} />
          {row.related.length > 0 ? (
            <section>
              <h3 className={styles.part}>{t('detail.related')}</h3>
              <ul className={styles.related}>
                {row.related.map((other) => (
                  <li key={other.id}>
                    <Level level={other.level} />
                    <a
                      href={`?detail=${other.id}`}
                      onClick={(event) => {
                        event.preventDefault()
                        show(other.id)
                      }}
                    >
                      {other.content}
                    </a>
                    <Time at={other.createTime} />
                  </li>
                ))}
              </ul>
            </section>
          ) : null}
        </>
      ) : null}
    </Detail>
  )
}

function Basics({ row }: { row: LogDetail }) {
  const { t } = useTranslation('audit')
  const seal = row.seal
    ? t('detail.sealed', { seq: row.seal.seq, hash: row.seal.hash.slice(0, 16) })
    : t(row.level === 'DEBUG' ? 'detail.outside' : 'detail.unsealed')
  return (
    <Rows
      title={t('detail.basic')}
      items={[
        [t('detail.actor'), <Actor key="actor" row={row} />],
        [t('fields.createTime'), <Time key="time" at={row.createTime} style="full" />],
        [t('fields.moduleName'), row.moduleName],
        [t('fields.targetName'), <Target key="target" row={row} />],
        [
          t('fields.result'),
          <StatusTag key="result" tone={tones[row.result]}>
            {t(`enums.result.${row.result}`)}
          </StatusTag>,
        ],
        [t('fields.errorName'), row.errorName],
        [t('detail.org'), row.orgName],
        [t('fields.durationMs'), t('ms', { n: row.durationMs })],
        [t('fields.ipAddress'), row.ipAddress],
        [t('detail.device'), row.device],
        [
          t('detail.request'),
          row.requestId ? (
            <span key="request">
              <span className={styles.mono}>{row.requestId.slice(0, 9)}</span> <CopyButton text={row.requestId} />
            </span>
          ) : null,
        ],
        [t('detail.seal'), seal],
        [t('fields.content'), row.content],
      ]}
    />
  )
}

function Changes({ row }: { row: LogDetail }) {
  const { t } = useTranslation('audit')
  return (
    <section>
      <h3 className={styles.part}>{t('detail.changes')}</h3>
      {row.changes.length === 0 ? (
        <p className={styles.quiet}>{t('detail.noChanges')}</p>
      ) : (
        <table className={styles.changes}>
          <thead>
            <tr>
              <th>{t('detail.field')}</th>
              <th>{t('detail.before')}</th>
              <th>{t('detail.after')}</th>
            </tr>
          </thead>
          <tbody>
            {row.changes.map((change) => (
              <tr key={change.field}>
                <td>{change.label}</td>
                <td className={styles.before}>{change.before ?? '—'}</td>
                <td>{change.after ?? '—'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
