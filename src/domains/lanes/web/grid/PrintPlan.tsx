import { type CSSProperties, useEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { useTranslation } from 'react-i18next'
import { fullTime } from '../../../../web/time.ts'
import type { Planogram } from '../../contract.ts'
import { widest } from '../shown.ts'
import styles from './lanes.module.css'
import { PlanView } from './PlanView.tsx'

/** Width of an A4 sheet lying, in CSS pixels between its margins. */
const sheet = 1060

/**
 * The planogram on paper, or as a file by the browser's own print dialog; pictures are waited for,
 * a while.
 */
export function PrintPlan({ plan, onDone }: { plan: Planogram; onDone: () => void }) {
  const { t } = useTranslation('lanes')
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let over = false
    const pictures = [...(root.current?.querySelectorAll('img') ?? [])].map((picture) => {
      picture.loading = 'eager'
      return picture.decode().catch(() => undefined)
    })
    const late = new Promise((resolve) => setTimeout(resolve, 3000))
    void Promise.race([Promise.all(pictures), late]).then(() => {
      if (over) return
      window.print()
      onDone()
    })
    return () => {
      over = true
    }
  }, [onDone])
  return createPortal(
    <div
      ref={root}
      className={styles.print}
      style={{ '--zoom': Math.min(1, sheet / (60 + widest(plan) * 76)) } as CSSProperties}
    >
      <h1>
        {plan.device.nickname} <small>{plan.device.rtuNumber}</small>
      </h1>
      <p>
        {t('version', { n: plan.version })} · {fullTime(new Date())} · {t('totals.lanes')}{' '}
        {plan.totals.lanes} · {t('totals.stock')} {plan.totals.stock} / {plan.totals.capacity}
      </p>
      <PlanView plan={plan} named />
    </div>,
    document.body,
  )
}
