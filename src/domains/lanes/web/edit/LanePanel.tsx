import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { Button, Input, InputNumber, Segmented, Switch } from 'antd'
import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../../shared/money.ts'
import { MoneyInput } from '../../../../web/form/MoneyInput.tsx'
import { Picture } from '../../../../web/Picture.tsx'
import { Empty } from '../../../../web/Problem.tsx'
import { ProductSelect } from '../../../products/web/pickers.tsx'
import type { Planogram } from '../../contract.ts'
import { canPlace } from '../../rules.ts'
import styles from '../grid/lanes.module.css'
import { type Goods, roadText, type ShownRoad } from '../shown.ts'
import type { Field } from './drafts.ts'
import { ProductShelf } from './ProductShelf.tsx'
import type { useDrafts } from './useDrafts.ts'

type Props = {
  plan: Planogram
  chosen: readonly ShownRoad[]
  drafts: ReturnType<typeof useDrafts>
  onPick: (goods: Goods) => void
  onClose: () => void
}

/**
 * Right of the grid: the settings of the chosen lanes, or the products to fill them with; below,
 * what is unsaved.
 */
export function LanePanel({ plan, chosen, drafts, onPick, onClose }: Props) {
  const { t } = useTranslation(['lanes', 'web'])
  const [tab, setTab] = useState<'settings' | 'shelf'>('settings')
  const shown = chosen.length === 0 ? 'shelf' : tab
  const title = chosen.length ? t('selectedTitle', { n: chosen.length }) : t('shelf.title')
  return (
    <aside className={`hd-sheet ${styles.panel}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {chosen.length ? (
          <>
            {plan.can.update ? (
              <Segmented
                size="small"
                value={tab}
                onChange={setTab}
                options={(['settings', 'shelf'] as const).map((key) => ({
                  value: key,
                  label: t(`panel.${key}`),
                }))}
              />
            ) : null}
            <Button
              type="text"
              icon={<CloseOutlined />}
              aria-label={t('web:action.close')}
              onClick={onClose}
            />
          </>
        ) : null}
      </header>
      <div className={styles.panelBody}>
        {shown === 'settings' ? (
          <Settings plan={plan} chosen={chosen} drafts={drafts} />
        ) : plan.can.update ? (
          <ProductShelf plan={plan} onPick={chosen.length ? onPick : undefined} />
        ) : (
          <Empty title={t('nothing')} />
        )}
      </div>
      {plan.can.update && (chosen.length > 0 || drafts.dirty) ? (
        <footer>
          <Button
            type="primary"
            loading={drafts.busy}
            disabled={!drafts.dirty}
            onClick={drafts.save}
          >
            {drafts.dirty ? t('save', { n: drafts.drafts.size }) : t('web:action.save')}
          </Button>
          <Button disabled={!drafts.dirty} onClick={drafts.reset}>
            {t('discard')}
          </Button>
        </footer>
      ) : null}
    </aside>
  )
}

/** Chosen lanes named in the panel; the grid shows them all. */
const listed = 30

/** Edits every chosen lane at once; where they differ the field is blank and stays as it is. */
function Settings({ plan, chosen, drafts }: Pick<Props, 'plan' | 'chosen' | 'drafts'>) {
  const { t } = useTranslation('lanes')
  const ids = chosen.map((road) => road.id)
  const emptied = (field: Field) => ids.some((id) => drafts.drafts.get(id)?.fields[field] === null)
  const shared = <K extends keyof ShownRoad>(key: K): ShownRoad[K] | undefined =>
    chosen.every((road) => road[key] === chosen[0]?.[key]) ? chosen[0]?.[key] : undefined
  const error = (field: string) =>
    ids.map((id) => drafts.errors.get(id)?.[field]).find((text) => text !== undefined)
  const differs = (field: Field & keyof ShownRoad) =>
    chosen.length > 1 && shared(field) === undefined
  const hint = (field: Field & keyof ShownRoad) => (differs(field) ? t('differs') : '')
  const mixed = (['retailPrice', 'price', 'roadCapacity', 'warnQty', 'restriction'] as const).some(
    differs,
  )
  // emptied where the lanes differ means: leave each as it is
  const set = (field: Field & keyof ShownRoad, value: unknown) =>
    drafts.set(ids, field, value === null && differs(field) ? undefined : value)
  const value = (field: Field & keyof ShownRoad) =>
    emptied(field) ? null : ((shared(field) as number | null | undefined) ?? null)
  const number = (field: 'roadCapacity' | 'warnQty' | 'restriction' | 'motorNo', unit?: string) => (
    <Item label={t(`fields.${field}`)} error={error(field)}>
      {(id) => (
        <InputNumber
          id={id}
          className={styles.full ?? ''}
          disabled={!plan.can.update}
          precision={0}
          value={value(field)}
          placeholder={hint(field)}
          suffix={unit}
          status={error(field) ? 'error' : ''}
          onChange={(next) => set(field, next)}
          onPressEnter={drafts.save}
        />
      )}
    </Item>
  )
  const money = (field: 'retailPrice' | 'price') => (
    <Item label={t(`fields.${field}`)} error={error(field)}>
      {(id) => (
        <MoneyInput
          id={id}
          disabled={!plan.can.update}
          value={value(field)}
          placeholder={hint(field)}
          onChange={(next) => set(field, next)}
        />
      )}
    </Item>
  )
  const [cost] = new Set(chosen.map((road) => road.costPrice))
  const switchable = chosen.every((road) => road.status === 'ENABLED' || road.status === 'DISABLED')
  const same = shared('status')
  const confirmed = chosen.length === 1 ? chosen[0]?.confirmedPrice : null
  return (
    <>
      <ul className={styles.chosen}>
        {chosen.slice(0, listed).map((road) => (
          <li key={road.id}>
            <Picture src={road.productImg} size={28} />
            <b>{roadText(road)}</b>
            <span>{road.productName ?? t(`enums.view.${road.view}`)}</span>
            <span data-view={road.view}>
              {road.productId === null ? '' : `${road.productStock}/${road.roadCapacity}`}
            </span>
          </li>
        ))}
        {chosen.length > listed ? (
          <li className={styles.rest}>{t('selectedMore', { n: chosen.length - listed })}</li>
        ) : null}
      </ul>
      <Item label={t('fields.productId')} error={error('productId')}>
        {(id) =>
          plan.can.update ? (
            <span className={styles.product}>
              <ProductSelect
                id={id}
                value={shared('productId') ?? undefined}
                {...(differs('productId') ? { placeholder: t('differing') } : {})}
                filter={(option) => canPlace(option, plan.device) === null}
                onChange={(next) =>
                  next === undefined ? drafts.set(ids, 'productId', null) : undefined
                }
                onPick={(option) =>
                  option ? drafts.set(ids, 'productId', option.id, option) : undefined
                }
              />
            </span>
          ) : (
            // who may not change lanes may not search products either
            <Input
              id={id}
              disabled
              value={
                differs('productId')
                  ? t('differs')
                  : (shared('productName') ?? t('enums.view.empty'))
              }
            />
          )
        }
      </Item>
      {chosen.some((road) => road.productId !== null) ? (
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
        <Item label={t('fields.enabled')} error={error('status')}>
          {(id) => (
            <Switch
              id={id}
              disabled={!plan.can.update}
              checked={same === 'ENABLED'}
              {...(same === undefined
                ? { checkedChildren: '', unCheckedChildren: t('mixed') }
                : {})}
              onChange={(on) => drafts.set(ids, 'status', on ? 'ENABLED' : 'DISABLED')}
            />
          )}
        </Item>
      ) : null}
      <p className={styles.note}>
        {cost && new Set(chosen.map((road) => road.costPrice)).size === 1
          ? `${t('cost', { price: yuan(cost) })} · `
          : ''}
        {confirmed ? `${t('stillCharges', { price: yuan(confirmed) })} · ` : ''}
        {plan.can.update
          ? `${mixed ? `${t('differing')} · ` : ''}${t('versionHint', { n: plan.version + 1 })} · `
          : ''}
        {t('stockHint')}
      </p>
      {error('id') ? (
        <p className={styles.error} role="alert">
          {error('id')}
        </p>
      ) : null}
    </>
  )
}

function Item({
  label,
  error,
  children,
}: {
  label: string
  error: string | undefined
  children: (id: string) => ReactNode
}) {
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
