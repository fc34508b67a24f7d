import { Button, Flex } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { shanghaiDay } from '../../../shared/instants.ts'
import { useRead, useWrite } from '../../../web/api.ts'
import { download } from '../../../web/download.ts'
import { useLive } from '../../../web/live.ts'
import { Unread } from '../../../web/Problem.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { useUser } from '../../../web/session.ts'
import { Time } from '../../../web/Time.tsx'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Lines } from '../../../web/ui/Sheet.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { Lead, Muted } from '../../../web/ui/Text.tsx'
import { OwnerSelect } from '../../accounts/web/pickers.tsx'
import { billing } from '../contract.ts'

/** Months that are over, the newest first. */
const months = (most: number): string[] => {
  const today = shanghaiDay(new Date())
  const [year, month] = [Number(today.slice(0, 4)), Number(today.slice(5, 7))]
  return Array.from({ length: most }, (_, n) =>
    new Date(Date.UTC(year, month - 2 - n, 1)).toISOString().slice(0, 7),
  )
}
const tones = { WAITING: 'paid', DONE: 'success', FAILED: 'fault' } as const

/** What was issued of a month: to be downloaded, or issued anew. */
export function StatementDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('billing')
  const user = useUser()
  const [orgId, setOrgId] = useState<number | undefined>(undefined)
  const [month, setMonth] = useState(months(1)[0] ?? '')
  const org = orgId ?? user?.orgId ?? 0
  const read = useRead(billing.statements, { orgId: org, month }, { inline: true, keep: true })
  useLive('ledger', [billing.statements.path])
  const issue = useWrite(billing.issueStatement, { invalidates: ['/api/finance/statements'] })
  const list = read.data?.list ?? []
  const waiting = list.some(({ state }) => state === 'WAITING')
  return (
    <Modal
      open
      title={t('statement.title')}
      width={560}
      onCancel={onClose}
      footer={
        <Button
          type={list.length ? 'default' : 'primary'}
          loading={issue.isPending}
          disabled={waiting}
          onClick={() => issue.mutate({ orgId: org, month })}
        >
          {t(list.length ? 'statement.again' : 'statement.issue')}
        </Button>
      }
    >
      <Lead>{t('statement.hint')}</Lead>
      <Flex gap={8} wrap style={{ margin: '12px 0' }}>
        <div style={{ flex: '1 1 220px' }}>
          <OwnerSelect
            value={org}
            onChange={(id: unknown) => setOrgId(Number(id) || undefined)}
            placeholder={t('organisation')}
          />
        </div>
        <Select
          aria-label={t('statement.month')}
          style={{ width: 120 }}
          options={months(24).map((value) => ({ value, label: value }))}
          value={month}
          onChange={(next: string) => setMonth(next)}
        />
      </Flex>
      {read.data && !list.length ? <Muted>{t('statement.none')}</Muted> : null}
      {read.data ? (
        <Lines columns="72px minmax(0, 1fr) auto">
          {list.map(({ id, versionNo, state, createTime, issuedBy }) => (
            <li key={id}>
              <StatusTag tone={tones[state]}>{`v${versionNo}`}</StatusTag>
              <span>
                <Time at={createTime} /> <Muted>{issuedBy || t('statement.system')}</Muted>
              </span>
              {state === 'DONE' ? (
                <Button
                  type="link"
                  size="small"
                  onClick={() =>
                    void download(`api/finance/statements/${org}/${month}?version=${versionNo}`)
                  }
                >
                  {t('statement.download')}
                </Button>
              ) : (
                <Muted>{t(`statement.state.${state}`)}</Muted>
              )}
            </li>
          ))}
        </Lines>
      ) : (
        <Unread read={read} rows={3} />
      )}
    </Modal>
  )
}
