"""Context parallelism: which rank of a group holds which queries of a call.

`plan_context` divides documents among ranks by the cost of their queries.
"""

from msa.distributed.plan import ContextPlan, Fragment, plan_context

__all__ = ["ContextPlan", "Fragment", "plan_context"]
