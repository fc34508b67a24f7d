import { Button, Flex, Input } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { addDays, dayMs, shanghaiDay } from '../../../shared/instants.ts'
import { DayRange } from '../../../web/list/days.tsx'
import { useListQuery } from '../../../web/list/useListQuery.ts'
import { Tooltip } from '../../../web/ui/Tooltip.tsx'
import { mostDays, orderSupplements } from '../contract.ts'

const nothing = {}
const textOf = (value: unknown) => (typeof value === 'string' ? value : '')

/** One machine and its days; without both nothing is asked. Empty, the list shows all that is open. */
export function QueryForm() {
  const { t } = useTranslation('orderSupplements')
  const { query, reset } = useListQuery(orderSupplements.list.input, nothing)
  const asked = {
    rtuNumber: textOf(query.rtuNumber),
    from: textOf(query.dateFrom),
    to: textOf(query.dateTo),
  }
  const [typed, setTyped] = useState(asked)
  const key = JSON.stringify(asked)
  useEffect(() => setTyped(JSON.parse(key)), [key])
  const today = shanghaiDay(new Date())
  const last = (days: number) => [addDays(today, 1 - days), today] as const
  const missing =
    typed.rtuNumber.trim() === ''
      ? t('machineMissing')
      : typed.from === '' || typed.to === ''
        ? t('daysMissing')
        : null
  const search = () => {
    if (missing === null)
      reset({
        rtuNumber: typed.rtuNumber.trim().toUpperCase(),
        dateFrom: typed.from,
        dateTo: typed.to,
      })
  }
  return (
    <Flex gap={8} wrap align="center">
      <Input
        style={{ width: 180, maxWidth: '100%' }}
        value={typed.rtuNumber}
        maxLength={20}
        placeholder={t('fields.rtuNumber')}
        aria-label={t('fields.rtuNumber')}
        aria-required
        allowClear
        onChange={(event) => setTyped({ ...typed, rtuNumber: event.target.value })}
        onPressEnter={search}
      />
      <DayRange
        style={{ width: 248 }}
        value={[typed.from || null, typed.to || null]}
        aria-label={t('fields.dateFrom')}
        placeholder={[t('web:list.from'), t('web:list.to')]}
        presets={[
          { label: t('today'), days: last(1) },
          { label: t('week'), days: last(mostDays) },
        ]}
        off={(day, start) =>
          day > today ||
          (start !== undefined && Math.abs(Date.parse(day) - Date.parse(start)) >= mostDays * dayMs)
        }
        onChange={([from, to]) => setTyped({ ...typed, from: from ?? '', to: to ?? '' })}
      />
      <Tooltip title={missing}>
        <span>
          <Button type="primary" disabled={missing !== null} onClick={search}>
            {t('query')}
          </Button>
        </span>
      </Tooltip>
      <Button type="link" onClick={() => setTyped({ ...typed, from: today, to: today })}>
        {t('today')}
      </Button>
      {asked.rtuNumber ? (
        <Button type="link" onClick={() => reset({})}>
          {t('allOpen')}
        </Button>
      ) : null}
    </Flex>
  )
}
