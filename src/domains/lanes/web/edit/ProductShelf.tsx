import { Input } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../../web/api.ts'
import { Money } from '../../../../web/Money.tsx'
import { Picture } from '../../../../web/Picture.tsx'
import { Empty, Unread } from '../../../../web/Problem.tsx'
import { Cut, Muted } from '../../../../web/ui/Text.tsx'
import { useDebounced } from '../../../../web/useDebounced.ts'
import { canPlace } from '../../../drug-guard/rules.ts'
import { products } from '../../../products/contract.ts'
import type { Planogram } from '../../contract.ts'
import styles from '../grid/lanes.module.css'
import { dragged, type Goods } from '../shown.ts'

/**
 * Products this machine may sell, to be dragged onto a lane, or put into the chosen lanes by a
 * click.
 */
export function ProductShelf({
  plan,
  onPick,
}: {
  plan: Planogram
  onPick: ((goods: Goods) => void) | undefined
}) {
  const { t } = useTranslation('lanes')
  const [typed, setTyped] = useState('')
  const keyword = useDebounced(typed.trim())
  const read = useRead(products.options, keyword ? { keyword } : {}, { keep: true, inline: true })
  const list = (read.data?.list ?? []).filter((option) => canPlace(option, plan.device).ok)
  return (
    <div className={styles.shelf}>
      <Input.Search
        allowClear
        placeholder={t('shelf.search')}
        aria-label={t('shelf.search')}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Muted small>{onPick ? t('shelf.click') : t('shelf.drag')}</Muted>
      {read.data ? null : <Unread read={read} />}
      <ul>
        {list.map((option) => (
          <li key={option.id}>
            <button
              type="button"
              draggable={plan.can.update}
              disabled={!plan.can.update}
              data-product={option.id}
              onDragStart={(event) => {
                dragged.goods = option
                event.dataTransfer.effectAllowed = 'copy'
                event.dataTransfer.setData('text/plain', option.name)
              }}
              onDragEnd={() => {
                dragged.goods = null
              }}
              onClick={() => onPick?.(option)}
            >
              <Picture src={option.img} size={32} />
              <span>
                <Cut>{option.name}</Cut>
                <Muted small>{option.model}</Muted>
              </span>
              <Money fen={option.retailPrice} />
            </button>
          </li>
        ))}
      </ul>
      {read.data && list.length === 0 ? <Empty title={t('shelf.none')} /> : null}
    </div>
  )
}
