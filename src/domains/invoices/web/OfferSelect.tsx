import { Flex } from 'antd'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { shanghaiDay } from '../../../shared/instants.ts'
import { yuan } from '../../../shared/money.ts'
import { useRead } from '../../../web/api.ts'
import { Select } from '../../../web/ui/select.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { useDebounced } from '../../../web/useDebounced.ts'
import { invoices } from '../contract.ts'
import type { Source } from '../rules.ts'

type Props = {
  readonly id?: string
  readonly value?: readonly string[]
  readonly onChange?: (nos: string[]) => void
  readonly source: Source
  readonly orgId: number | undefined
}

/** What may be invoiced, the newest first; numbers that were copied elsewhere may be pasted. */
export function OfferSelect({ id, value = [], onChange, source, orgId }: Props) {
  const { t } = useTranslation(['invoices', 'web'])
  const [typed, setTyped] = useState('')
  const keyword = useDebounced(typed.trim())
  const read = useRead(
    invoices.offers,
    { source, ...(orgId ? { orgId } : {}), ...(keyword ? { keyword } : {}) },
    { keep: true, inline: true },
  )
  const [known, setKnown] = useState<Readonly<Record<string, number>>>({})
  const list = read.data?.list
  useEffect(() => {
    if (list)
      setKnown((all) => ({
        ...all,
        ...Object.fromEntries(list.map((one) => [one.no, one.amount])),
      }))
  }, [list])
  const sum = value.reduce((all, no) => all + (known[no] ?? 0), 0)
  return (
    <Flex vertical gap={4}>
      <Select
        {...(id ? { id } : {})}
        mode={source === 'ORDERS' ? 'tags' : 'multiple'}
        style={{ width: '100%' }}
        maxTagCount={6}
        value={[...value]}
        loading={read.isFetching}
        placeholder={t('web:form.choose')}
        tokenSeparators={[',', '，', ' ', '\n', '\t']}
        notFoundContent={t('noOffers')}
        showSearch={{ filterOption: false, onSearch: setTyped, searchValue: typed }}
        optionLabelProp="value"
        options={(list ?? []).map(({ no, time, amount, issuerName }) => ({
          value: no,
          label: [
            no,
            source === 'ORDERS' ? shanghaiDay(new Date(time)) : issuerName,
            yuan(amount),
          ].join(' · '),
        }))}
        onChange={(next: string[]) => {
          setTyped('')
          onChange?.(next)
        }}
      />
      {sum ? <Muted>{t('sum', { amount: yuan(sum) })}</Muted> : null}
    </Flex>
  )
}
