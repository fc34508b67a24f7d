import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { Button, InputNumber, Switch } from 'antd'
import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../shared/money.ts'
import { MoneyInput } from '../../../web/form/MoneyInput.tsx'
import { Picture } from '../../../web/Picture.tsx'
import { ProductSelect } from '../../products/web/pickers.tsx'
import type { Planogram } from '../contract.ts'
import { canPlace } from '../rules.ts'
import styles from './lanes.module.css'
import { roadText, type ShownRoad } from './shown.ts'
import type { Field, usePanel } from './usePanel.ts'

type Props = { plan: Planogram; chosen: readonly ShownRoad[]; panel: ReturnType<typeof usePanel>; onClose: () => void }

/** Edits every chosen lane at once; where they differ the field is blank and stays as it is. */
export function LanePanel({ plan, chosen, panel, onClose }: Props) {
  const { t } = useTranslation(['lanes', 'web'])
  const { draft, set, errors, common } = panel
  const differs = (key: keyof ShownRoad) => chosen.length > 1 && common(key) === undefined
  const value = <K extends Field & keyof ShownRoad>(field: K) => (draft[field] !== undefined ? draft[field] : common(field))
  const hint = (key: keyof ShownRoad) => (differs(key) ? t('differing') : '')
  const number = (field: 'roadCapacity' | 'warnQty' | 'restriction' | 'motorNo', unit?: string) => (
    <Item label={t(`fields.${field}`)} error={errors[field]}>
      {(id) => (
        <InputNumber
          id={id}
          className={styles.full ?? ''}
          disabled={!plan.can.update}
          precision={0}
          value={(value(field) as number | undefined) ?? null}
          placeholder={hint(field)}
          suffix={unit}
          status={errors[field] ? 'error' : ''}
          onChange={(next) => set(field, next)}
          onPressEnter={panel.save}
        />
      )}
    </Item>
  )
  const money = (field: 'retailPrice' | 'price') => (
    <Item label={t(`fields.${field}`)} error={errors[field]}>
      {(id) => (
        <MoneyInput
          id={id}
          disabled={!plan.can.update}
          value={(value(field) as number | null | undefined) ?? null}
          placeholder={hint(field)}
          onChange={(next) => set(field, next)}
        />
      )}
    </Item>
  )
  const costs = new Set(chosen.map((road) => road.costPrice))
  const [cost] = costs
  const switchable = chosen.every((road) => road.status === 'ENABLED' || road.status === 'DISABLED')
  const status = draft.status ?? (chosen.every((road) => road.status === chosen[0]?.status) ? chosen[0]?.status : undefined)
  const hasProduct = draft.productId !== undefined ? draft.productId !== null : chosen.every((road) => road.productId !== null)
  return (
    <aside className={`hd-sheet ${styles.panel}`} aria-label={t('selectedTitle', { n: chosen.length })}>
      <header>
        <h2>{t('selectedTitle', { n: chosen.length })}</h2>
        <Button type="text" icon={<CloseOutlined />} aria-label={t('web:action.close')} onClick={onClose} />
      </header>
      <div className={styles.panelBody}>
        <ul className={styles.chosen}>
          {chosen.map((road) => (
            <li key={road.id}>
              <Picture src={road.productImg} size={28} />
              <b>{roadText(road)}</b>
              <span>{road.productName ?? t(`enums.view.${road.view}`)}</span>
              <span data-view={road.view}>{road.productId === null ? '' : `${road.productStock}/${road.roadCapacity}`}</span>
            </li>
          ))}
        </ul>
        <Item label={t('fields.productId')} error={errors.productId}>
          {(id) => (
            <span className={styles.product}>
              <ProductSelect
                id={id}
                disabled={!plan.can.update}
                value={value('productId')}
                {...(differs('productId') ? { placeholder: t('differing') } : {})}
                filter={(option) => canPlace(option, plan.device) === null}
                onChange={(next) => set('productId', next ?? null)}
                onPick={(option) => set('productId', option?.id ?? null, option)}
              />
            </span>
          )}
        </Item>
        {hasProduct ? (
          <div className={styles.pair}>
            {money('retailPrice')}
            {money('price')}
          </div>
        ) : null}
        <div className={styles.pair}>
          {number('roadCapacity', t('pieces'))}
          {number('warnQty', t('pieces'))}
        </div>
        <div className={styles.pair}>
          {number('restriction')}
          {chosen.length === 1 ? number('motorNo') : null}
        </div>
        {switchable ? (
          <Item label={t('fields.enabled')} error={errors.status}>
            {(id) => (
              <Switch id={id} disabled={!plan.can.update} checked={status === 'ENABLED'} onChange={(on) => set('status', on ? 'ENABLED' : 'DISABLED')} />
            )}
          </Item>
        ) : null}
        <p className={styles.note}>
          {costs.size === 1 && cost ? `${t('cost', { price: yuan(cost) })} · ` : ''}
          {t('versionHint', { n: plan.version + 1 })} · {t('stockHint')}
        </p>
        {errors.id ? (
          <p className={styles.error} role="alert">
            {errors.id}
          </p>
        ) : null}
      </div>
      {plan.can.update ? (
        <footer>
          <Button type="primary" loading={panel.busy} disabled={!panel.dirty} onClick={panel.save}>
            {t('save', { n: chosen.length })}
          </Button>
          <Button onClick={panel.dirty ? panel.reset : onClose}>{t('web:action.cancel')}</Button>
        </footer>
      ) : null}
    </aside>
  )
}

function Item({ label, error, children }: { label: string; error: string | undefined; children: (id: string) => ReactNode }) {
  const id = useId()
  return (
    <div className={styles.item} data-error={error !== undefined}>
      <label htmlFor={id}>{label}</label>
      {children(id)}
      <span className={styles.error} role={error ? 'alert' : undefined}>
        {error}
      </span>
    </div>
  )
}
