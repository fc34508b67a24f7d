import { Button, Flex, Progress } from 'antd'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { useLive } from '../../../../web/live.ts'
import { Unread } from '../../../../web/Problem.tsx'
import { StatusTag, type Tone } from '../../../../web/StatusTag.tsx'
import { usePhone } from '../../../../web/shell/useWidth.ts'
import { shortTime } from '../../../../web/time.ts'
import { useAct } from '../../../../web/useAct.ts'
import { lanes } from '../../contract.ts'
import type { CopyRow } from '../../copyContract.ts'
import { MachineTable, Skipped } from './MachineTable.tsx'

type State = CopyRow['targets'][number]['state']
const tones: Record<State, Tone> = {
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
  if (!read.data) return <Unread read={read} />
  const { targets, machines, open, can, undoUntil, finishTime } = read.data
  const count = (state: State) => targets.filter((target) => target.state === state).length
  const [done, failed, undone, kept] = [
    count('DONE'),
    count('FAILED'),
    count('UNDONE'),
    count('KEPT'),
  ]
  const goesBack = undone + kept + count('UNDOING') > 0
  const running = t('copy.running', { n: machines - open, m: machines })
  const ended = goesBack
    ? t('copy.undone', { n: undone, m: kept })
    : t(failed ? 'copy.doneSome' : 'copy.done', { n: done, m: failed })
  return (
    <>
      <Progress
        aria-label={running}
        percent={Math.round((100 * (machines - open)) / machines)}
        status={open > 0 ? 'active' : failed > 0 ? 'exception' : 'success'}
      />
      <Flex justify="space-between" align="center" gap={12} style={{ margin: '4px 0 12px' }}>
        <span role="status">{open > 0 ? running : ended}</span>
        {can.undo && undoUntil ? (
          <Button onClick={() => void undo({ done }, { id })}>
            {t('copy.undoUntil', { time: shortTime(new Date(undoUntil), new Date()) })}
          </Button>
        ) : finishTime && !goesBack ? (
          <small>{t('copy.undoOver')}</small>
        ) : null}
      </Flex>
      <MachineTable
        rows={targets}
        more={(row) => (row.skipped.length ? <Skipped rows={row.skipped} /> : null)}
        columns={[
          {
            key: 'state',
            title: t('fields.status'),
            width: phone ? 88 : 110,
            render: (_, { state }) => (
              <StatusTag tone={tones[state]}>{t(`enums.copyState.${state}`)}</StatusTag>
            ),
          },
          {
            key: 'result',
            title: t('copy.columns.result'),
            render: (_, { problem, state, written, skipped }) =>
              problem ||
              [
                state === 'DONE' ? t('copy.wrote', { n: written }) : '',
                skipped.length ? t('copy.skip', { n: skipped.length }) : '',
              ]
                .filter(Boolean)
                .join(' · '),
          },
        ]}
      />
    </>
  )
}
