import { Button } from 'antd'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useRead, useWrite } from '../../../web/api.ts'
import { Detail } from '../../../web/Detail.tsx'
import type { DetailProps } from '../../../web/list/types.ts'
import { useTarget } from '../../../web/useTarget.ts'
import { messageEndpoints } from '../messageContract.ts'
import { Letter } from './Letter.tsx'

const { message, markRead, confirm } = messageEndpoints

/** A message beside its list; opening it reads it. */
export function MessageDrawer({ id: named, ...beside }: DetailProps) {
  const { t } = useTranslation('notices')
  const navigate = useNavigate()
  const id = Number(named)
  const targetOf = useTarget()
  const read = useRead(message, { id }, { inline: true })
  const { mutate: mark } = useWrite(markRead)
  const agree = useWrite(confirm, { success: 'web:success.done' })
  const found = read.data
  const fresh = found?.readTime === null
  // not everybody who is told has a way to the page
  const target = targetOf(found?.link ?? '')
  useEffect(() => {
    if (fresh) mark({ ids: [id] })
  }, [fresh, id, mark])
  return (
    <Detail
      open
      {...beside}
      title={found ? t(`enums.kind.${found.kind}`) : ''}
      loading={read.isPending}
      error={read.error}
      onRetry={() => void read.refetch()}
      actions={
        <>
          {target ? <Button onClick={() => navigate(target)}>{t('inbox.open')}</Button> : null}
          {found?.mustConfirm ? (
            <Button
              type="primary"
              disabled={found.confirmTime !== null}
              loading={agree.isPending}
              onClick={() => agree.mutate({ id })}
            >
              {t(found.confirmTime ? 'inbox.confirmed' : 'inbox.confirm')}
            </Button>
          ) : null}
        </>
      }
    >
      {found ? <Letter {...found} text={found.content} time={found.createTime} /> : null}
    </Detail>
  )
}
