import { Button, Flex, Table } from 'antd'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useLocation, useNavigate } from 'react-router'
import { useRead } from '../../../web/api.ts'
import { CopyButton } from '../../../web/CopyButton.tsx'
import { Detail, Rows } from '../../../web/Detail.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { Cut, Lead } from '../../../web/ui/Text.tsx'
import { useDetail } from '../../../web/useDetail.ts'
import { audit, type LogDetail, resultTones } from '../contract.ts'
import { Actor, Level, Target } from './cells.tsx'

/** One row: what changed, and what else the same request did. */
export function LogDrawer({ id: named, ...beside }: DetailProps) {
  const { t } = useTranslation('audit')
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const detail = useDetail()
  const read = useRead(audit.get, { id: Number(named) }, { inline: true, keep: true })
  const row = read.data
  const list = (filter: Record<string, string>) =>
    navigate(`${pathname}?${new URLSearchParams(filter)}`)
  return (
    <Detail
      open
      {...beside}
      title={row?.actionName ?? ''}
      {...(row ? { status: <Level level={row.level} chip />, id: String(row.id) } : {})}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={
        row ? (
          <>
            {row.targetId ? (
              <Button onClick={() => list({ targetId: row.targetId, module: row.module })}>
                {t('history')}
              </Button>
            ) : null}
            {row.username ? (
              <Button onClick={() => list({ username: row.username })}>{t('historyOfUser')}</Button>
            ) : null}
          </>
        ) : null
      }
    >
      {row ? (
        <>
          <Basics row={row} />
          <Changes row={row} />
          {row.related.length > 0 ? (
            <Part title={t('detail.related')}>
              {row.related.map((other) => (
                <Flex key={other.id} gap={12} style={{ paddingBlock: 4 }}>
                  <Level level={other.level} />
                  <Cut>
                    <Link to={detail.to(other.id)}>{other.content}</Link>
                  </Cut>
                  <Time at={other.createTime} />
                </Flex>
              ))}
            </Part>
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
          <StatusTag key="result" tone={resultTones[row.result]}>
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
              <span className="hd-mono">{row.requestId.slice(0, 9)}</span>{' '}
              <CopyButton text={row.requestId} />
            </span>
          ) : null,
        ],
        [t('detail.seal'), seal],
        [t('fields.content'), row.content],
      ]}
    />
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h3>{title}</h3>
    {children}
  </section>
)

function Changes({ row }: { row: LogDetail }) {
  const { t } = useTranslation('audit')
  const column = (key: 'label' | 'before' | 'after', title: string) => ({
    key,
    title,
    dataIndex: key,
    render: (value: string | null) => value ?? '—',
  })
  return (
    <Part title={t('detail.changes')}>
      {row.changes.length === 0 ? (
        <Lead>{t('detail.noChanges')}</Lead>
      ) : (
        <Table
          size="small"
          rowKey="field"
          tableLayout="fixed"
          pagination={false}
          dataSource={row.changes}
          columns={[
            column('label', t('detail.field')),
            column('before', t('detail.before')),
            column('after', t('detail.after')),
          ]}
        />
      )}
    </Part>
  )
}
