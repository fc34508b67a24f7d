import { Button, Input, InputNumber } from 'antd'
import { useTranslation } from 'react-i18next'
import { Picture } from '../../../web/Picture.tsx'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { StockBar } from '../../../web/StockBar.tsx'
import { Select } from '../../../web/ui/select.tsx'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import { type Batch, type LaneRow, withdrawReasons } from '../contract.ts'
import styles from './replenishment.module.css'
import { whyNot } from './shown.ts'
import type { Change, Item } from './useVisitDrafts.ts'

type Props = {
  lane: LaneRow
  item: Item | undefined
  error: string | null
  batches: readonly Batch[]
  onChange: (change: Change) => void
}

/** A lane of a visit: what it should hold, what was there, what went in and what came out. */
export function LaneLine({ lane, item, error, batches, onChange }: Props) {
  const { t } = useTranslation('replenishment')
  const { addedQty = 0, withdrawnQty = 0, countedQty = null } = item ?? {}
  const room = Math.max(0, lane.roadCapacity - lane.productStock)
  const own = batches.filter((batch) => batch.productId === lane.productId)
  const first = own[0]
  const add = (n: number) =>
    onChange({
      addedQty: n,
      // what expires first is put in first
      ...(n > 0 && !item?.batchId && first ? { batchId: first.id } : {}),
    })
  const drug = lane.drugClass !== 'NONE'
  return (
    <li
      className={styles.lane}
      data-done={item !== undefined && (addedQty > 0 || countedQty !== null)}
    >
      <b className={styles.road}>{lane.roadIndex}</b>
      <Picture src={lane.productImg} size={36} />
      <span className={styles.goods}>
        <span>
          {lane.productName} <Muted small>{lane.model}</Muted>
        </span>
        <span className={styles.state}>
          <StockBar stock={lane.productStock} capacity={lane.roadCapacity} warn={lane.warnQty} />
          {lane.reserved ? (
            <Muted small>
              {t('fields.reserved')} {lane.reserved}
            </Muted>
          ) : null}
          {lane.failedHold || lane.lockReason === 'COUNT_NEEDED' ? (
            <StatusTag tone="warn">{t('toCountTag')}</StatusTag>
          ) : lane.status === 'ENABLED' ? null : (
            <StatusTag tone={lane.status === 'FAULT' ? 'fault' : 'locked'}>
              {t(
                lane.status === 'FAULT'
                  ? 'faulty'
                  : lane.status === 'LOCKED'
                    ? 'locked'
                    : 'disabled',
              )}
            </StatusTag>
          )}
        </span>
        {error ? (
          <small role="alert">
            <Bad>{whyNot(error)}</Bad>
          </small>
        ) : null}
      </span>
      <div className={styles.cell}>
        <Muted small>{t('fields.countedQty')}</Muted>
        <InputNumber
          aria-label={`${t('fields.countedQty')} ${lane.roadIndex}`}
          min={0}
          max={999}
          precision={0}
          value={countedQty}
          placeholder={String(lane.productStock)}
          onChange={(n) => onChange({ countedQty: n })}
        />
      </div>
      <div className={styles.cell}>
        <Muted small>{t('fields.addedQty')}</Muted>
        <span className={styles.step}>
          <InputNumber
            aria-label={`${t('fields.addedQty')} ${lane.roadIndex}`}
            min={0}
            max={999}
            precision={0}
            value={addedQty || null}
            placeholder={String(room)}
            onChange={(n) => add(n ?? 0)}
          />
          {room > 0 ? (
            <Button
              aria-label={`${t('fillAll')} ${lane.roadIndex}`}
              title={t('fillAll')}
              onClick={() => add(room)}
            >
              {`+${room}`}
            </Button>
          ) : null}
        </span>
      </div>
      <div className={styles.cell}>
        <Muted small>{t('fields.withdrawnQty')}</Muted>
        <InputNumber
          aria-label={`${t('fields.withdrawnQty')} ${lane.roadIndex}`}
          min={0}
          max={999}
          precision={0}
          value={withdrawnQty || null}
          placeholder="0"
          onChange={(n) =>
            onChange({
              withdrawnQty: n ?? 0,
              withdrawReason: n ? (item?.withdrawReason ?? 'TAKE_BACK') : null,
            })
          }
        />
      </div>
      {withdrawnQty > 0 ? (
        <span className={styles.more}>
          <Muted small>{t('fields.withdrawReason')}</Muted>
          <Select
            value={item?.withdrawReason ?? 'TAKE_BACK'}
            aria-label={t('fields.withdrawReason')}
            options={withdrawReasons.map((value) => ({
              value,
              label: t(`enums.withdrawReason.${value}`),
            }))}
            onChange={(withdrawReason) => onChange({ withdrawReason })}
          />
        </span>
      ) : null}
      {addedQty > 0 && (drug || own.length > 0) ? (
        <span className={styles.more}>
          <Muted small>{t('fields.batchId')}</Muted>
          <Select
            value={item?.batchId ?? null}
            aria-label={t('fields.batchId')}
            allowClear={!drug}
            placeholder={t('noBatch')}
            popupMatchSelectWidth={false}
            options={own.map((batch) => ({
              value: batch.id,
              label: `${batch.batchNo} · ${batch.expiresOn}`,
            }))}
            onChange={(batchId: number | null | undefined) =>
              onChange({ batchId: batchId ?? null })
            }
          />
        </span>
      ) : null}
      {addedQty > 0 && lane.traceRequired ? (
        <span className={styles.more}>
          <Muted small>{t('codes', { n: item?.codes?.length ?? 0, of: addedQty })}</Muted>
          <Input.TextArea
            autoSize={{ minRows: 1, maxRows: 4 }}
            aria-label={t('fields.codes')}
            placeholder={t('codesHint')}
            defaultValue={item?.codes?.join('\n')}
            onChange={({ target }) =>
              onChange({ codes: target.value.split(/[\s,;，；]+/).filter(Boolean) })
            }
          />
        </span>
      ) : null}
    </li>
  )
}
