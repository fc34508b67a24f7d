import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../../web/api.ts'
import { Detail, Rows } from '../../../web/Detail.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { useLive } from '../../../web/live.ts'
import { StatusTag } from '../../../web/StatusTag.tsx'
import { Time } from '../../../web/Time.tsx'
import { Muted } from '../../../web/ui/Text.tsx'
import { adMaterials, type MaterialRow } from '../contract.ts'
import { CreativeDialog, ReplaceDialog, ReviewDialog } from './dialogs.tsx'
import { Whole } from './pickers.tsx'
import { sizeText, stateTones } from './words.ts'

const dialogs = { review: ReviewDialog, replace: ReplaceDialog, creative: CreativeDialog } as const
type Act = keyof typeof dialogs

/** One file: how it looks, whether it may play, and who shows it. */
export function MaterialDrawer({ id, ...steps }: DetailProps) {
  const { t } = useTranslation('adMaterials')
  const known = /^[1-9]\d{0,14}$/.test(id)
  const read = useRead(adMaterials.get, { id: Number(id) }, { inline: true, enabled: known })
  useLive('ad-materials', [adMaterials.get.path])
  const [act, setAct] = useState<Act | null>(null)
  const row = known ? read.data : undefined
  const Dialog = act ? dialogs[act] : null
  const button = (key: Act, label: string, primary = false) =>
    row?.can[key] ? (
      <Button key={key} type={primary ? 'primary' : 'default'} onClick={() => setAct(key)}>
        {label}
      </Button>
    ) : null
  return (
    <>
      <Detail
        open={known}
        {...steps}
        title={row?.name ?? ''}
        status={
          row ? (
            <StatusTag chip tone={stateTones[row.state]}>
              {t(`enums.state.${row.state}`)}
            </StatusTag>
          ) : null
        }
        actions={
          <>
            {button('review', t('review'), true)}
            {button('creative', t('newCreative'))}
            {button('replace', t('replace'))}
          </>
        }
        loading={read.isPending}
        error={read.error}
        onRetry={() => void read.refetch()}
      >
        {row ? <Body row={row} /> : null}
      </Detail>
      {Dialog && row ? <Dialog row={row} onClose={() => setAct(null)} /> : null}
    </>
  )
}

function Body({ row }: { row: MaterialRow }) {
  const { t } = useTranslation('adMaterials')
  const used = useRead(adMaterials.references, { id: row.id }, { inline: true })
  const made = useRead(
    adMaterials.creatives,
    { materialId: row.id, pageSize: 50 },
    { inline: true },
  )
  const seconds = (ms: number) => t('seconds', { n: Math.round(ms / 100) / 10 })
  return (
    <>
      <Whole file={row.file} kind={row.kind} alt={row.name} />
      <Rows
        items={[
          [t('fields.kind'), t(`enums.kind.${row.kind}`)],
          [t('fields.size'), `${row.width}×${row.height}`],
          ...(row.durationMs === null
            ? []
            : [[t('fields.durationMs'), seconds(row.durationMs)] as const]),
          [t('fields.bytes'), sizeText(row.bytes)],
          [t('fields.orgId'), row.orgName],
          [t('fields.tags'), row.tags.map((tag) => t(`enums.tags.${tag}`)).join(' · ')],
          [t('fields.licenceNo'), row.licenceNo],
          [t('fields.validUntil'), row.validUntil ?? ''],
          [t('fields.reason'), row.reason],
          [t('fields.replacesName'), row.replacesName],
          [t('fields.uploader'), row.uploader],
          [t('fields.createTime'), <Time key="at" at={row.createTime} />],
        ]}
      />
      {made.data?.list.length ? (
        <Rows
          title={t('creatives')}
          items={made.data.list.map(
            (one) => [one.title, `${t('seconds', { n: one.seconds })} ${one.caption}`] as const,
          )}
        />
      ) : null}
      {used.data?.list.length ? (
        <Rows
          title={t('references')}
          items={used.data.list.map((one) => [one.groupName, one.creativeTitle] as const)}
        />
      ) : (
        <Muted>{used.data ? t('noReferences') : ''}</Muted>
      )}
    </>
  )
}
