import { Button, Checkbox, InputNumber } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead, useWrite } from '../../../web/api.ts'
import { Unread } from '../../../web/Problem.tsx'
import { useActiveTab } from '../../../web/shell/tabs.ts'
import { toast } from '../../../web/toast.ts'
import { Modal } from '../../../web/ui/overlay.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { replenishment } from '../contract.ts'
import type { OfflinePack } from '../routeContract.ts'
import styles from './route.module.css'

type Line = { productId: number; name: string; model: string; wanted: number; planned: number }
/** What the lanes of the route want of each product, and what is planned for them. */
function linesOf({ lanes, products }: OfflinePack): Line[] {
  const named = new Map(products.map((product) => [product.id, product]))
  return [...Map.groupBy(lanes, (lane) => lane.productId)]
    .map(([productId, own]) => ({
      productId,
      name: named.get(productId)?.name ?? '',
      model: named.get(productId)?.model ?? '',
      wanted: own.reduce((sum, lane) => sum + Math.max(0, lane.capacity - lane.quantity), 0),
      planned: own.reduce((sum, lane) => sum + lane.planned, 0),
    }))
    .filter((line) => line.wanted > 0)
    .sort((a, b) => b.wanted - a.wanted || a.productId - b.productId)
}

/** What goes into the car for the rest of the day; what is short goes where it is worth most. */
export function LoadList({ date, onClose }: { date: string; onClose: () => void }) {
  const { t } = useTranslation(['replenishment', 'web'])
  const active = useActiveTab()
  const read = useRead(replenishment.offlinePack, { date }, { inline: true })
  const [loaded, setLoaded] = useState<ReadonlyMap<number, number>>(new Map())
  const [ticked, setTicked] = useState<ReadonlySet<number>>(new Set())
  const save = useWrite(replenishment.loadRoute, {
    invalidates: ['/api/my-routes'],
    onSuccess: () => {
      toast('success', t('route.replanned'))
      onClose()
    },
  })
  const lines = read.data ? linesOf(read.data) : []
  const of = (line: Line) => loaded.get(line.productId) ?? line.planned
  const keep = () =>
    save.mutate({
      date,
      products: lines
        .filter((line) => of(line) !== line.wanted)
        .map((line) => ({ productId: line.productId, qty: of(line) })),
    })
  if (!active) return null
  return (
    <Modal
      open
      title={t('route.load')}
      onCancel={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('web:action.close')}</Button>
          <Button type="primary" loading={save.isPending} disabled={!loaded.size} onClick={keep}>
            {t('route.replan')}
          </Button>
        </>
      }
    >
      {read.data ? (
        <>
          <p>
            <Muted>{t('route.loadHint')}</Muted>
          </p>
          <ul className={styles.load}>
            {lines.map((line) => (
              <li key={line.productId} data-ticked={ticked.has(line.productId)}>
                <Checkbox
                  checked={ticked.has(line.productId)}
                  onChange={() => setTicked(ticked.symmetricDifference(new Set([line.productId])))}
                >
                  {line.name} <Muted>{line.model}</Muted>
                </Checkbox>
                <Muted>{t('route.wanted', { n: line.wanted })}</Muted>
                <InputNumber
                  size="large"
                  min={0}
                  max={99_999}
                  precision={0}
                  inputMode="numeric"
                  aria-label={t('route.loaded', { name: line.name })}
                  value={of(line)}
                  onChange={(qty) => setLoaded(new Map(loaded).set(line.productId, qty ?? 0))}
                />
              </li>
            ))}
          </ul>
        </>
      ) : (
        <Unread read={read} rows={5} />
      )}
    </Modal>
  )
}
