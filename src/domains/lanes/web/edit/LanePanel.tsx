import CloseOutlined from '@ant-design/icons/es/icons/CloseOutlined'
import { Button, Input, InputNumber, Segmented, Switch } from 'antd'
import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { yuan } from '../../../../shared/money.ts'
import { MoneyInput } from '../../../../web/form/MoneyInput.tsx'
import { Picture } from '../../../../web/Picture.tsx'
import { Empty } from '../../../../web/Problem.tsx'
import { Lines } from '../../../../web/ui/Sheet.tsx'
import { Cut, Muted } from '../../../../web/ui/Text.tsx'
import { canPlace } from '../../../drug-guard/rules.ts'
import { ProductSelect } from '../../../products/web/pickers.tsx'
import type { Planogram } from '../../contract.ts'
import { switchable } from '../../rules.ts'
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
const tabs = ['settings', 'shelf'] as const

/**
 * Right of the grid: the settings of the chosen lanes, or the products to fill them with; below,
 * what is unsaved.
 */
export function LanePanel({ plan, chosen, drafts, onPick, onClose }: Props) {
  const { t } = useTranslation(['lanes', 'web'])
  const [tab, setTab] = useState<(typeof tabs)[number]>('settings')
  const some = chosen.length > 0
  const can = plan.can.update
  const title = some ? t('selectedTitle', { n: chosen.length }) : t('panel.shelf')
  return (
    <aside className={`hd-sheet ${styles.panel}`} aria-label={title}>
      <header>
        <h2>{title}</h2>
        {some && can ? (
          <Segmented
            size="small"
            value={tab}
            onChange={setTab}
            options={tabs.map((value) => ({ value, label: t(`panel.${value}`) }))}
          />
        ) : null}
        {some ? (
          <Button
            type="text"
            icon={<CloseOutlined />}
            aria-label={t('web:action.close')}
            onClick={onClose}
          />
        ) : null}
      </header>
      <div className={styles.panelBody}>
        {some && tab === 'settings' ? (
          <Settings plan={plan} chosen={chosen} drafts={drafts} />
        ) : can ? (
          <ProductShelf plan={plan} onPick={some ? onPick : undefined} />
        ) : (
          <Empty title={t('nothing')} />
        )}
      </div>
      {can && (some || drafts.dirty) ? (
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
type Setting = Field & keyof ShownRoad

/** Edits every chosen lane at once; where they differ the field is blank and stays as it is. */
function Settings({ plan, chosen, drafts }: Pick<Props, 'plan' | 'chosen' | 'drafts'>) {
  const { t } = useTranslation('lanes')
  const [first] = chosen
  const ids = chosen.map((road) => road.id)
  const disabled = !plan.can.update
  const differs = (key: keyof ShownRoad) => chosen.some((road) => road[key] !== first?.[key])
  const shared = <K extends keyof ShownRoad>(key: K) => (differs(key) ? undefined : first?.[key])
  const error = (field: string) =>
    ids.map((id) => drafts.errors.get(id)?.[field]).find((text) => text !== undefined)
  /** What every input of a number is told. */
  const input = (field: Setting) => {
    const emptied = ids.some((id) => drafts.drafts.get(id)?.fields[field] === null)
    return {
      disabled,
      value: emptied ? null : ((shared(field) as number | null | undefined) ?? null),
      placeholder: differs(field) ? t('differs') : '',
      // emptied where the lanes differ means: leave each as it is
      onChange: (value: number | null) =>
        drafts.set(ids, field, value === null && differs(field) ? undefined : value),
    }
  }
  const item = (field: string, control: (id: string) => ReactNode, label = field) => (
    <Item label={t(`fields.${label}`)} error={error(field)}>
      {control}
    </Item>
  )
  const money = (field: Setting) => item(field, (id) => <MoneyInput id={id} {...input(field)} />)
  const number = (field: Setting, unit?: string) =>
    item(field, (id) => (
      <InputNumber
        id={id}
        style={{ width: '100%' }}
        precision={0}
        {...input(field)}
        suffix={unit}
        status={error(field) ? 'error' : ''}
        onPressEnter={drafts.save}
      />
    ))
  const same = shared('status')
  const cost = shared('costPrice')
  const confirmed = chosen.length === 1 ? first?.confirmedPrice : null
  const mixed = ['retailPrice', 'price', 'roadCapacity', 'warnQty', 'restriction'] as const
  const notes = [
    cost ? t('cost', { price: yuan(cost) }) : '',
    confirmed ? t('stillCharges', { price: yuan(confirmed) }) : '',
    !disabled && mixed.some(differs) ? t('differing') : '',
    disabled ? '' : t('versionHint', { n: plan.version + 1 }),
    t('stockHint'),
  ]
  return (
    <>
      <div className={styles.chosen}>
        <Lines columns="28px auto minmax(0, 1fr) auto">
          {chosen.slice(0, listed).map((road) => (
            <li key={road.id}>
              <Picture src={road.productImg} size={28} />
              <b>{roadText(road)}</b>
              <Cut>{road.productName ?? t(`enums.view.${road.view}`)}</Cut>
              <b data-view={road.view}>
                {road.productId === null ? '' : `${road.productStock}/${road.roadCapacity}`}
              </b>
            </li>
          ))}
        </Lines>
        {chosen.length > listed ? (
          <Muted>{t('selectedMore', { n: chosen.length - listed })}</Muted>
        ) : null}
      </div>
      {item('productId', (id) =>
        disabled ? (
          // who may not change lanes may not search products either
          <Input
            id={id}
            disabled
            value={
              differs('productId') ? t('differs') : (first?.productName ?? t('enums.view.empty'))
            }
          />
        ) : (
          <ProductSelect
            id={id}
            value={shared('productId') ?? undefined}
            {...(differs('productId') ? { placeholder: t('differing') } : {})}
            filter={(option) => canPlace(option, plan.device).ok}
            onChange={(next) => {
              if (next === null) drafts.set(ids, 'productId', null)
            }}
            onPick={(option) => {
              if (option) drafts.set(ids, 'productId', option.id, option)
            }}
          />
        ),
      )}
      <div className={styles.pair}>
        {chosen.some((road) => road.productId !== null) ? (
          <>
            {money('retailPrice')}
            {money('price')}
          </>
        ) : null}
        {number('roadCapacity', t('pieces'))}
        {number('warnQty', t('pieces'))}
        {number('restriction')}
        {chosen.length === 1 ? number('motorNo') : null}
      </div>
      {chosen.every((road) => switchable(road.status))
        ? item(
            'status',
            (id) => (
              <Switch
                id={id}
                disabled={disabled}
                checked={same === 'ENABLED'}
                {...(same ? {} : { checkedChildren: '', unCheckedChildren: t('mixed') })}
                onChange={(on) => drafts.set(ids, 'status', on ? 'ENABLED' : 'DISABLED')}
              />
            ),
            'enabled',
          )
        : null}
      <p className={styles.note}>{notes.filter(Boolean).join(' · ')}</p>
      {error('id') ? (
        <p className={styles.error} role="alert">
          {error('id')}
        </p>
      ) : null}
    </>
  )
}

type ItemProps = { label: string; error: string | undefined; children: (id: string) => ReactNode }
function Item({ label, error, children }: ItemProps) {
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
