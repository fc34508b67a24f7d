import { Button, Progress, Skeleton, Table } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { useLive } from '../../../../web/live.ts'
import { StatusTag, type Tone } from '../../../../web/StatusTag.tsx'
import { usePhone } from '../../../../web/shell/useWidth.ts'
import { shortTime } from '../../../../web/time.ts'
import { useAct } from '../../../../web/useAct.ts'
import { lanes } from '../../contract.ts'
import type { CopyRow } from '../../copyContract.ts'
import styles from './dialogs.module.css'
import { machineColumns } from './machineColumns.ts'
import { Skipped } from './Skipped.tsx'

type Target = CopyRow['targets'][number]
const tones: Record<Target['state'], Tone> = {
  WAITING: 'offline',
  DONE: 'success',
  FAILED: 'fault',
  UNDOING: 'offline',
  UNDONE: 'refunded',
  KEPT: 'warn',
}

/** A copy as it happens, each machine with its result, and the way back while there is one. */
export function CopyProgress({ id }: { id: number }) {
  const { t } = useTranslation('lanes')
  const phone = usePhone()
  const read = useRead(lanes.copyState, { id }, { every: 3000 })
  useLive('lane-copies', [lanes.copyState.path])
  const undo = useAct(lanes.copyUndo, {
    ask: ({ done }: { done: number }) => t('copy.undoAsk', { n: done }),
    name: () => t('copy.undoHint'),
    ok: t('copy.undo'),
    danger: false,
    success: '',
    invalidates: ['/api/lane-copies'],
  })
  if (!read.data) return <Skeleton active paragraph={{ rows: 6 }} />
  const { targets, machines, open, can, undoUntil, finishTime } = read.data
  const count = (state: Target['state']) =>
    targets.filter((target) => target.state === state).length
  const undone = count('UNDONE') + count('KEPT') + count('UNDOING') > 0
  const said = (row: Target) =>
    [
      row.state === 'DONE' ? t('copy.wrote', { n: row.written }) : '',
      row.skipped.length ? t('copy.skip', { n: row.skipped.length }) : '',
    ]
      .filter(Boolean)
      .join(' · ')
  return (
    <>
      <div className={styles.progress}>
        <Progress
          aria-label={t('copy.running', { n: machines - open, m: machines })}
          percent={Math.round((100 * (machines - open)) / machines)}
          status={open > 0 ? 'active' : count('FAILED') > 0 ? 'exception' : 'success'}
        />
        <span role="status">
          {open > 0
            ? t('copy.running', { n: machines - open, m: machines })
            : undone
              ? t('copy.undone', { n: count('UNDONE'), m: count('KEPT') })
              : t(count('FAILED') ? 'copy.doneSome' : 'copy.done', {
                  n: count('DONE'),
                  m: count('FAILED'),
                })}
        </span>
        {can.undo ? (
          <Button onClick={() => void undo({ done: count('DONE') }, { id })}>
            {undoUntil
              ? t('copy.undoUntil', { time: shortTime(new Date(undoUntil), new Date()) })
              : t('copy.undo')}
          </Button>
        ) : finishTime && !undone ? (
          <small>{t('copy.undoOver')}</small>
        ) : null}
      </div>
      <Table<Target>
        rowKey="deviceId"
        size="small"
        dataSource={targets}
        scroll={phone ? { y: 340 } : { y: 340, x: 560 }}
        pagination={machines > 50 ? { pageSize: 50, showSizeChanger: false } : false}
        expandable={{
          rowExpandable: (row) => row.skipped.length > 0,
          expandedRowRender: (row) => <Skipped rows={row.skipped} />,
        }}
        columns={[
          ...machineColumns(t, phone),
          {
            key: 'state',
            title: t('fields.status'),
            width: phone ? 88 : 110,
            render: (_, row) => (
              <StatusTag tone={tones[row.state]}>{t(`enums.copyState.${row.state}`)}</StatusTag>
            ),
          },
          {
            key: 'result',
            title: t('copy.columns.result'),
            ...(phone ? {} : { width: 200 }),
            render: (_, row) => row.problem || said(row),
          },
        ]}
      />
    </>
  )
}
