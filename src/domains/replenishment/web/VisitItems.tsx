import { useTranslation } from 'react-i18next'
import { StatusTag, type Tone } from '../../../web/StatusTag.tsx'
import { Lines } from '../../../web/ui/Sheet.tsx'
import { Bad, Muted } from '../../../web/ui/Text.tsx'
import type { ItemRow } from '../contract.ts'
import styles from './replenishment.module.css'
import { signed, whyNot } from './shown.ts'

const tones: Readonly<Record<ItemRow['state'], Tone>> = {
  PENDING: 'paid',
  POSTED: 'success',
  REJECTED: 'fault',
}

/** Lanes of a visit: before, what was done, after. */
export function VisitItems({ items }: { items: readonly ItemRow[] }) {
  const { t } = useTranslation('replenishment')
  const done = (item: ItemRow) =>
    [
      item.countedQty !== null && `${t('fields.countedQty')} ${item.countedQty}`,
      item.withdrawnQty > 0 &&
        `${t(`enums.withdrawReason.${item.withdrawReason}`)} −${item.withdrawnQty}`,
      item.addedQty > 0 && `${t('fields.addedQty')} +${item.addedQty}`,
      item.batchNo,
    ].filter(Boolean)
  return (
    <Lines columns="48px minmax(0, 1fr) auto auto">
      {items.map((item) => (
        <li key={item.id}>
          <b>{item.roadIndex}</b>
          <span className={styles.said}>
            {item.productName}
            <Muted small>{done(item).join(' · ')}</Muted>
            {item.error ? (
              <small>
                <Bad>{whyNot(item.error)}</Bad>
              </small>
            ) : null}
          </span>
          <span className={styles.figures}>
            {item.afterQty === null ? null : (
              <>
                <span>
                  {item.beforeQty} → <b>{item.afterQty}</b>
                </span>
                {item.difference ? (
                  <small>
                    <Bad when={item.difference < 0}>
                      {t('fields.difference')} {signed(item.difference)}
                    </Bad>
                  </small>
                ) : null}
              </>
            )}
          </span>
          <StatusTag tone={tones[item.state]}>{t(`enums.itemState.${item.state}`)}</StatusTag>
        </li>
      ))}
    </Lines>
  )
}
