import DeleteOutlined from '@ant-design/icons/es/icons/DeleteOutlined'
import { Button, InputNumber } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { OrderHandle } from '../../../web/list/OrderHandle.tsx'
import { OptionSelect } from '../../../web/OptionSelect.tsx'
import { adMaterials } from '../../ad-materials/contract.ts'
import { Thumb } from '../../ad-materials/web/pickers.tsx'
import type { GroupItem } from '../contract.ts'
import { mostItems } from '../rules.ts'
import styles from './group.module.css'

type Item = { creativeId: number; seconds: number }
type Known = Pick<GroupItem, 'creativeId' | 'title' | 'kind' | 'file'>
type Props = {
  known: readonly Known[]
  id?: string
  value?: Item[]
  onChange?: (next: Item[]) => void
}

/** Creatives in the order in which they play; the same one may come again. */
export function Items({ known, id, value = [], onChange }: Props) {
  const { t } = useTranslation('programGroups')
  const [picked, setPicked] = useState<readonly Known[]>([])
  const names = new Map([...known, ...picked].map((one) => [one.creativeId, one]))
  const move = (from: number, to: number) => {
    const next = value.filter((_, i) => i !== from)
    next.splice(to, 0, value[from] as Item)
    onChange?.(next)
  }
  return (
    <div className={styles.wide} id={id}>
      <div>
        {value.map(({ creativeId, seconds }, at) => {
          const one = names.get(creativeId)
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same creative may stand in two places
            <div key={at} className={styles.line} data-row-key={at}>
              <OrderHandle
                label={`${t('fields.items')} ${at + 1}`}
                onDrop={(beside) => move(at, Number(beside))}
              >
                {null}
              </OrderHandle>
              {one ? <Thumb file={one.file} kind={one.kind} size={32} /> : null}
              <span className={styles.name}>{one?.title ?? creativeId}</span>
              <InputNumber
                value={seconds}
                min={1}
                max={300}
                precision={0}
                suffix="s"
                disabled={one?.kind === 'VIDEO'}
                aria-label={t('fields.seconds')}
                onChange={(next) =>
                  onChange?.(
                    value.map((item, i) => (i === at ? { creativeId, seconds: next ?? 1 } : item)),
                  )
                }
              />
              <Button
                type="text"
                icon={<DeleteOutlined />}
                aria-label={t('remove')}
                onClick={() => onChange?.(value.filter((_, i) => i !== at))}
              />
            </div>
          )
        })}
      </div>
      {value.length < mostItems ? (
        <OptionSelect
          from={adMaterials.creatives}
          input={{ pageSize: 50 }}
          value={null}
          placeholder={t('addCreative')}
          label={t('addCreative')}
          text={(row) => `${row.title} · ${row.materialName}`}
          onPick={(row) => {
            if (!row) return
            setPicked((all) => [...all, { ...row, creativeId: row.id }])
            onChange?.([...value, { creativeId: row.id, seconds: row.seconds }])
          }}
        />
      ) : null}
    </div>
  )
}
