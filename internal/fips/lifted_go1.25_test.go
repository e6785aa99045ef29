//go:build !go1.26

package fips

// lifted is the result of Enforced within WithoutEnforcement, which cannot lift the mode.
const lifted = "true"
